/**
 * Annotations on beans become layers, layers become one policy per method, and one advice runs the calls under it.
 */
@NullMarked
package dev.retryon.spring.aop;

import org.jspecify.annotations.NullMarked;
