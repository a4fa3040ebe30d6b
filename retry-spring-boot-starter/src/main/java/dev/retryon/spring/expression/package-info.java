/**
 * Internal. SpEL gates, and placeholders in the string attributes of annotations.
 */
@NullMarked
package dev.retryon.spring.expression;

import org.jspecify.annotations.NullMarked;
