/** Methods that do not return a value but something that will have one: stages, publishers, coroutines. */
@NullMarked
package dev.retryon.spring.style;

import org.jspecify.annotations.NullMarked;
