/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.spring.Place;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the value of a setting comes from. The records do not use generated {@code equals} methods, because JDK 17 keeps the
 * last class whose generated method was linked, and with it a closed application.
 */
public sealed interface SettingSource {

    /** The built-in defaults: {@code default}. */
    static SettingSource builtIn() {
        return new BuiltIn();
    }

    /** The settings for all retried methods: {@code retryon.defaults}. */
    static SettingSource defaults() {
        return new Property(Block.DEFAULTS, "retryon.defaults");
    }

    /** An override for one call: {@code Retries.with}. */
    static SettingSource call() {
        return new Call();
    }

    /** Code that builds a policy or a client: {@code code}. */
    static SettingSource code() {
        return new Code();
    }

    /**
     * A setting of HTTP clients that is no setting of a policy.
     *
     * @param property its name below {@code retryon.http}
     * @return {@code retryon.http.<property>}
     */
    static SettingSource http(String property) {
        return new Property(Block.HTTP, "retryon.http." + property);
    }

    /**
     * A named policy.
     *
     * @param name its name
     * @return {@code retryon.policies.<name>}
     */
    static SettingSource policy(String name) {
        return new Property(Block.POLICY, "retryon.policies." + name);
    }

    /**
     * The operator's settings for methods.
     *
     * @param key a class, a method or an overload
     * @return {@code retryon.methods[<key>]}
     */
    static SettingSource methods(String key) {
        return new Property(Block.METHOD, "retryon.methods[" + key + "]");
    }

    /**
     * Describes the source for endpoints and messages, such as {@code default}, {@code retryon.defaults} or {@code @RetryOn on
     * com.acme.Payments.charge}.
     */
    String describe();

    /**
     * The place to look at in order to change a value of this source.
     *
     * @param setting the setting
     * @return the property or the annotation
     */
    default Place place(Setting<?> setting) {
        return Place.code(describe());
    }

    /**
     * The source of the settings of a rule that is part of this source.
     *
     * @param error the type or the code that the rule is for
     * @return the block of the rule if this is a block of properties, else this
     */
    default SettingSource ofRule(ErrorKey error) {
        return this;
    }

    /** The built-in defaults. */
    record BuiltIn() implements SettingSource {

        @Override
        public String describe() {
            return "default";
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof BuiltIn;
        }

        @Override
        public int hashCode() {
            return BuiltIn.class.hashCode();
        }
    }

    /**
     * A policy that every application has.
     *
     * @param name its name
     */
    record BuiltInPolicy(String name) implements SettingSource {

        @Override
        public String describe() {
            return "built-in policy " + name;
        }

        @Override
        public Place place(Setting<?> setting) {
            return Place.property("retryon.policies." + name + "." + setting.property());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof BuiltInPolicy that && name.equals(that.name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    /**
     * A block of properties.
     *
     * @param block what kind of block
     * @param prefix its name, without a dot at the end
     */
    record Property(Block block, String prefix) implements SettingSource {

        @Override
        public String describe() {
            return prefix;
        }

        @Override
        public Place place(Setting<?> setting) {
            return Place.property(prefix + "." + setting.property());
        }

        @Override
        public SettingSource ofRule(ErrorKey error) {
            return new Property(block, prefix + "." + ErrorKey.ruleName(error));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Property that && block == that.block && prefix.equals(that.prefix);
        }

        @Override
        public int hashCode() {
            return prefix.hashCode();
        }
    }

    /**
     * An annotation.
     *
     * @param type the annotation that is written: {@code @RetryOn} or one composed of it
     * @param element the method or type on which it is written
     */
    record Annotation(Class<? extends java.lang.annotation.Annotation> type, AnnotatedElement element)
            implements SettingSource {

        @Override
        public String describe() {
            return "@" + type.getSimpleName() + " on " + name(element);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Annotation that && type == that.type && element.equals(that.element);
        }

        @Override
        public int hashCode() {
            return element.hashCode();
        }

        /**
         * Names a type or method.
         *
         * @param element the element
         * @return such as {@code com.acme.Payments.charge}
         */
        public static String name(AnnotatedElement element) {
            if (element instanceof Method method) {
                return method.getDeclaringClass().getName() + "." + method.getName();
            }
            return element instanceof Class<?> type ? type.getName() : String.valueOf(element);
        }
    }

    /** An override for one call. */
    record Call() implements SettingSource {

        @Override
        public String describe() {
            return "Retries.with";
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Call;
        }

        @Override
        public int hashCode() {
            return Call.class.hashCode();
        }
    }

    /**
     * An operator, while the application runs.
     *
     * @param path where it is changed and taken back, below {@code /actuator/retryon}; empty for everything
     * @param since when it was changed
     * @param by who did it; {@code null} if that is not known
     * @param until when it ends by itself; {@code null} if it does not
     * @param shared whether it was made for all nodes that share a store
     */
    record Operator(
            String path,
            Instant since,
            @Nullable String by,
            @Nullable Instant until,
            boolean shared) implements SettingSource {

        @Override
        public String describe() {
            return "operator" + (shared ? " for all nodes" : "") + " since " + since + (by == null ? "" : " by " + by)
                    + (until == null ? "" : " until " + until);
        }

        @Override
        public Place place(Setting<?> setting) {
            return Place.code("/actuator/retryon" + (path.isEmpty() ? "" : "/" + path));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Operator that
                    && path.equals(that.path)
                    && since.equals(that.since)
                    && Objects.equals(by, that.by)
                    && Objects.equals(until, that.until)
                    && shared == that.shared;
        }

        @Override
        public int hashCode() {
            return Objects.hash(path, since, by, until, shared);
        }
    }

    /** Code that builds a policy or a client. */
    record Code() implements SettingSource {

        @Override
        public String describe() {
            return "code";
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Code;
        }

        @Override
        public int hashCode() {
            return Code.class.hashCode();
        }
    }

    /** The blocks of properties that have settings. */
    enum Block {

        /** {@code retryon.defaults}. */
        DEFAULTS,

        /** {@code retryon.policies.<name>}. */
        POLICY,

        /** {@code retryon.methods[<key>]}. */
        METHOD,

        /** {@code retryon.http}. */
        HTTP
    }
}
