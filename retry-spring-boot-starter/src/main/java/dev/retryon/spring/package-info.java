/**
 * API. What users of the Spring Boot starter import: the {@link dev.retryon.spring.RetryOn} annotation and the few types
 * beside it. Knows only the settings.
 */
@NullMarked
package dev.retryon.spring;

import org.jspecify.annotations.NullMarked;
