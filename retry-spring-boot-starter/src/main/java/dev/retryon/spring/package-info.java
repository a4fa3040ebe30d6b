/**
 * The API of the Spring Boot starter: the {@link dev.retryon.spring.RetryOn} annotation, and the few other types that
 * applications import. This package depends only on the settings.
 */
@NullMarked
package dev.retryon.spring;

import org.jspecify.annotations.NullMarked;
