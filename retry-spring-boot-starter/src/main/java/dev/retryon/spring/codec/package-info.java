/**
 * API. Turns the arguments of calls into JSON and back: {@link dev.retryon.spring.codec.Codec} is for applications, the rest
 * for other packages of the starter. Knows only {@code expression}.
 */
@NullMarked
package dev.retryon.spring.codec;

import org.jspecify.annotations.NullMarked;
