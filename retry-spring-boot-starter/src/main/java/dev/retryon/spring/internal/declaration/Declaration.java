// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.Inherit;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.SettingSource;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;

/**
 * An annotation that applies to methods: {@code @RetryOn}, or the annotation of a group of settings.
 *
 * @param annotation the annotation, with the values that a composed annotation sets in it
 * @param written the annotation that was written: this one, or one that is composed with it
 * @param element the method or type on which it was written
 */
public record Declaration(Annotation annotation, Class<? extends Annotation> written, AnnotatedElement element) {

    public boolean inheritsNothing() {
        return annotation instanceof RetryOn retryOn && retryOn.inherit() == Inherit.NONE;
    }

    public String name() {
        return annotation instanceof RetryOn retryOn ? retryOn.name() : "";
    }

    public String policy() {
        return annotation instanceof RetryOn retryOn ? retryOn.policy() : "";
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
