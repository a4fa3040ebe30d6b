/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.RetryOn;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.List;

/**
 * An annotation that applies to methods.
 *
 * @param annotation the annotation, with what a composed annotation sets in it
 * @param written the annotation that was written: this one, or one that is composed of it
 * @param element the method or type on which it was written
 * @since 0.1.0
 */
public record Declaration(RetryOn annotation, Class<? extends Annotation> written, AnnotatedElement element) {

    /**
     * The types to retry. Of the two attributes for them one is empty, or both are equal.
     *
     * @return the types, possibly none
     */
    public List<Class<? extends Throwable>> types() {
        return List.of(annotation.exceptions().length > 0 ? annotation.exceptions() : annotation.value());
    }

    /** The place, for messages. */
    String where() {
        return where(written, element);
    }

    static String where(Class<? extends Annotation> written, AnnotatedElement element) {
        String name = written == RetryOn.List.class ? RetryOn.class.getSimpleName() : written.getSimpleName();
        return "@" + name + " on " + RetryDeclarations.place(element);
    }
}
