/** Internal. SpEL gates, and placeholders in the string attributes of annotations. */
@NullMarked
package dev.retryon.spring.internal.expression;

import org.jspecify.annotations.NullMarked;
