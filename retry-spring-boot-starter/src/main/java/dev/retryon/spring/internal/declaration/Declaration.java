// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.Inherit;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;

/**
 * An annotation that applies to methods.
 *
 * @param annotation the annotation, with what a composed annotation sets in it
 * @param written the annotation that was written: this one, or one that is composed of it
 * @param element the method or type on which it was written
 */
public record Declaration(RetryOn annotation, Class<? extends Annotation> written, AnnotatedElement element) {

    /** Whether weaker annotations are ignored. */
    public boolean inheritsNothing() {
        return annotation.inherit() == Inherit.NONE;
    }

    public boolean isOnMethod() {
        return element instanceof Method;
    }

    public SettingSource source() {
        return SettingSource.annotation(written, element);
    }

    public Place place() {
        return place(written, element);
    }

    public static Place place(Class<? extends Annotation> written, AnnotatedElement element) {
        return Place.code(SettingSource.annotation(written, element).describe());
    }
}
