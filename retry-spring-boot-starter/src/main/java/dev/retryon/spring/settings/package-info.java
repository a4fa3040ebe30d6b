/** What a layer can say about retries, how layers merge, and what was found wrong in them. */
@NullMarked
package dev.retryon.spring.settings;

import org.jspecify.annotations.NullMarked;
