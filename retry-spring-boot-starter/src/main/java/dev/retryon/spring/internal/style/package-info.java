/** Methods that return a value later: futures, publishers, coroutines. {@code ReturnStyle} is API, all else is internal. */
@NullMarked
package dev.retryon.spring.internal.style;

import org.jspecify.annotations.NullMarked;
