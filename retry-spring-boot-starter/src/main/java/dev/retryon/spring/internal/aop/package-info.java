/** Internal. The proxy: the advice that runs calls to retried methods, where it applies, and how it calls the target. */
@NullMarked
package dev.retryon.spring.internal.aop;

import org.jspecify.annotations.NullMarked;
