/** Internal. Hints for native images and for applications that are processed ahead of time. */
@NullMarked
package dev.retryon.spring.internal.aot;

import org.jspecify.annotations.NullMarked;
