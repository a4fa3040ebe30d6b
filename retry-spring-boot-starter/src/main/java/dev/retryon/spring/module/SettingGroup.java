// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicyBuilder;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * Settings that a module adds to those of {@code @RetryOn}, with the same layers. A group has its own annotation, and its own
 * block of properties in each block of settings. Settings are read before beans exist, so groups are listed in {@code
 * META-INF/spring.factories}. An implementation has no state and a constructor without parameters.
 */
public abstract class SettingGroup {

    /** For subclasses. */
    protected SettingGroup() {}

    /** Which calls of a method are stored, to run later through their bean. */
    public enum Storing {
        /** No calls. */
        NONE,

        /** Calls that have failed permanently. */
        FAILED_CALLS,

        /** Calls whose first attempt has failed. Their retries are handed over. */
        RETRIES,

        /** All calls, before their first attempt. */
        ALL_CALLS;

        /** Whether the retries of a call run later, without its caller. */
        public boolean handsOver() {
            return compareTo(RETRIES) >= 0;
        }
    }

    private static final class Found {

        private static final List<SettingGroup> GROUPS =
                List.copyOf(SpringFactoriesLoader.forDefaultResourceLocation(SettingGroup.class.getClassLoader())
                        .load(SettingGroup.class));
    }

    /** Returns the groups of all modules. */
    public static List<SettingGroup> all() {
        return Found.GROUPS;
    }

    /** Returns the group with an annotation; {@code null} if there is none. */
    public static @Nullable SettingGroup of(Class<?> annotation) {
        for (SettingGroup group : all()) {
            if (group.annotation() == annotation) {
                return group;
            }
        }
        return null;
    }

    /** Returns the name of its block of properties. */
    public abstract String name();

    /** Returns its annotation, which selects methods because it is annotated with {@code @RetryOn} itself. */
    public abstract Class<? extends Annotation> annotation();

    /**
     * Returns its settings, in the order in which they are shown. The first one is {@code value} of the annotation; the others have no
     * effect without it.
     */
    public abstract List<Setting<?>> settings();

    /** Returns its settings that are expressions over the arguments of stored calls. */
    public List<Setting<String>> keys() {
        return List.of();
    }

    /** Returns which calls are stored. */
    public abstract Storing storing(EffectiveSettings settings);

    /** Whether a method can have these settings and no exception to retry. */
    public abstract boolean needsNoExceptions(EffectiveSettings settings);

    /** Applies settings to the policy of a retry. */
    public abstract void applyTo(RetryPolicyBuilder policy, EffectiveSettings settings);

    /**
     * Reports settings that can't apply to a retry.
     *
     * @param faults takes a setting, and a clause that begins with a comma
     */
    public abstract void check(EffectiveSettings settings, RetryEngine engine, BiConsumer<Setting<?>, String> faults);

    /** Returns why calls that belong to no bean can't have a value, as a clause; {@code null} if they can. */
    public abstract @Nullable String misfitWithoutBean(Setting<?> setting, Object value);

    /**
     * Returns the plural with which operators name several methods: {@code lanes} in {@code lanes/mail}; {@code null} if they
     * can't.
     */
    public @Nullable String selector() {
        return null;
    }

    /** Whether a method belongs to a value of the selector. */
    public boolean selects(String value, EffectiveSettings settings) {
        return false;
    }
}
