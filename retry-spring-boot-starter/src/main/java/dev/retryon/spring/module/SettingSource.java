// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.settings.ErrorKey;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * The source of a setting's value. This class is not a record, because JDK 17 retains the last record class whose
 * generated {@code equals} method was linked, and with it a closed application.
 */
public final class SettingSource {

    public static final SettingSource BUILT_IN = new SettingSource(Kind.BUILT_IN, "default");

    public static final SettingSource DEFAULTS = new SettingSource(Kind.DEFAULTS, "retryon.defaults");

    public static final SettingSource CALL = new SettingSource(Kind.CALL, "Retries.with");

    public static final SettingSource CODE = new SettingSource(Kind.CODE, "code");

    private final Kind kind;

    private final String description;

    /** The block of properties, or the place in the code. */
    private final String place;

    private SettingSource(Kind kind, String description, String place) {
        this.kind = kind;
        this.description = description;
        this.place = place;
    }

    private SettingSource(Kind kind, String description) {
        this(kind, description, description);
    }

    /** Returns the source of a module's setting that is not part of a policy, by its full property name. */
    public static SettingSource module(String property) {
        return new SettingSource(Kind.MODULE, property);
    }

    public static SettingSource policy(String name) {
        return new SettingSource(Kind.POLICY, "retryon.policies." + name);
    }

    public static SettingSource builtInPolicy(String name) {
        return new SettingSource(Kind.BUILT_IN_POLICY, "built-in policy " + name, "retryon.policies." + name);
    }

    public static SettingSource methods(String key) {
        return new SettingSource(Kind.METHODS, "retryon.methods[" + key + "]");
    }

    /**
     * Returns the source of a setting in an annotation.
     *
     * @param written the annotation in the source code: {@code @RetryOn}, a list of them, or an annotation that is
     *     composed of it
     * @param element the method or type that has the annotation
     */
    public static SettingSource annotation(Class<? extends Annotation> written, AnnotatedElement element) {
        Class<? extends Annotation> type = written == RetryOn.List.class ? RetryOn.class : written;
        boolean isForOneMethod = (type == RetryOn.class || SettingGroup.of(type) != null)
                && element instanceof Method method
                && !Modifier.isAbstract(method.getModifiers());
        return new SettingSource(
                isForOneMethod ? Kind.METHOD_ANNOTATION : Kind.ANNOTATION,
                "@" + type.getSimpleName() + " on " + name(element));
    }

    /** Returns the source of the settings that an operator has changed while the application runs. */
    static SettingSource operator(RuntimeChange change) {
        RuntimeChange.Target target = change.target();
        return new SettingSource(
                Kind.OPERATOR,
                "operator" + (target.shared() ? " for all nodes" : "") + " since " + change.since()
                        + (change.by() == null ? "" : " by " + change.by())
                        + (change.until() == null ? "" : " until " + change.until()),
                "/actuator/retryon" + (target.path().isEmpty() ? "" : "/" + target.path()));
    }

    /** Returns the name of a type or method, such as {@code com.acme.Payments.charge}. */
    public static String name(AnnotatedElement element) {
        if (element instanceof Method method) {
            return method.getDeclaringClass().getName() + "." + method.getName();
        }
        return element instanceof Class<?> type ? type.getName() : String.valueOf(element);
    }

    public Kind kind() {
        return kind;
    }

    public boolean isOperator() {
        return kind == Kind.OPERATOR;
    }

    /** Returns whether this is a block of properties that the application sets. */
    public boolean isProperty() {
        return switch (kind) {
            case DEFAULTS, POLICY, METHODS, MODULE -> true;
            default -> false;
        };
    }

    /**
     * Describes the source for endpoints and messages, such as {@code default}, {@code retryon.defaults} or {@code @RetryOn on
     * com.acme.Payments.charge}.
     */
    public String describe() {
        return description;
    }

    /** Returns the property or annotation to edit in order to change a value of this source. */
    public Place place(Setting<?> setting) {
        return isProperty() || kind == Kind.BUILT_IN_POLICY
                ? Place.property(place + "." + setting.property())
                : Place.code(place);
    }

    /** Returns the block of a rule if this is a block of properties; otherwise returns this source. */
    public SettingSource ofRule(ErrorKey error) {
        return isProperty() ? new SettingSource(kind, place + "." + ErrorKey.ruleName(error)) : this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SettingSource that
                && kind == that.kind
                && description.equals(that.description)
                && place.equals(that.place);
    }

    @Override
    public int hashCode() {
        return description.hashCode();
    }

    @Override
    public String toString() {
        return description;
    }

    /** The kinds of sources. */
    public enum Kind {
        BUILT_IN,
        /** A policy that every application has. */
        BUILT_IN_POLICY,
        DEFAULTS,
        POLICY,
        /** {@code retryon.methods[<key>]}. */
        METHODS,
        /** A property of a module. */
        MODULE,
        /**
         * {@code @RetryOn} or the annotation of a group, on the method itself. The annotation applies to no other
         * method.
         */
        METHOD_ANNOTATION,
        /** Any other annotation. */
        ANNOTATION,
        OPERATOR,
        /** {@code Retries.with}. */
        CALL,
        /** Code that builds a policy or a client. */
        CODE
    }
}
