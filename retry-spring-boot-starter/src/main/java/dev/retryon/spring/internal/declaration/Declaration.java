/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.Inherit;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.List;

/**
 * An annotation that applies to methods.
 *
 * @param annotation the annotation, with what a composed annotation sets in it
 * @param written the annotation that was written: this one, or one that is composed of it
 * @param element the method or type on which it was written
 */
public record Declaration(RetryOn annotation, Class<? extends Annotation> written, AnnotatedElement element) {

    /** The types to retry, possibly none. Of the two attributes for them one is empty, or both are equal. */
    public List<Class<? extends Throwable>> types() {
        return List.of(annotation.exceptions().length > 0 ? annotation.exceptions() : annotation.value());
    }

    /** Whether weaker annotations are ignored. */
    public boolean inheritsNothing() {
        return annotation.inherit() == Inherit.NONE;
    }

    public SettingSource source() {
        return source(written, element);
    }

    private static SettingSource source(Class<? extends Annotation> written, AnnotatedElement element) {
        return SettingSource.annotation(written == RetryOn.List.class ? RetryOn.class : written, element);
    }

    public Place place() {
        return place(written, element);
    }

    public static Place place(Class<? extends Annotation> written, AnnotatedElement element) {
        return Place.code(source(written, element).describe());
    }
}
