/** Internal. The typed list of settings, the layers that set them, and the source of each value. */
@NullMarked
package dev.retryon.spring.internal.settings;

import org.jspecify.annotations.NullMarked;
