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
 * Settings that a module adds to the settings of {@code @RetryOn}, with the same layers. Each group has its own
 * annotation, and its own block within each block of settings. Settings are read before beans exist, so groups are
 * listed in {@code META-INF/spring.factories}. An implementation must be stateless and have a constructor without
 * parameters.
 */
public abstract class SettingGroup {

    /** Constructor for subclasses. */
    protected SettingGroup() {}

    /** Defines which calls of a method are stored to run later through their bean. */
    public enum Storing {
        /** No calls. */
        NONE,

        /** Calls that have failed permanently. */
        FAILED_CALLS,

        /** Calls whose first attempt has failed. The retries of such calls are handed over. */
        RETRIES,

        /** All calls, before their first attempt. */
        ALL_CALLS;

        /** Returns whether the retries of a call run later, without its caller. */
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

    /** Returns the group that has an annotation; {@code null} if none has it. */
    public static @Nullable SettingGroup of(Class<?> annotation) {
        for (SettingGroup group : all()) {
            if (group.annotation() == annotation) {
                return group;
            }
        }
        return null;
    }

    /** Returns the name of the group's block of properties. */
    public abstract String name();

    /**
     * Returns the annotation of the group. The annotation selects methods because it is itself annotated with
     * {@code @RetryOn}.
     */
    public abstract Class<? extends Annotation> annotation();

    /**
     * Returns the settings of the group, in display order. The first setting is {@code value} of the annotation, and
     * the other settings have no effect without it.
     */
    public abstract List<Setting<?>> settings();

    /** Returns those settings of the group that are expressions over the arguments of stored calls. */
    public List<Setting<String>> keys() {
        return List.of();
    }

    /** Returns which calls are stored with the given settings. */
    public abstract Storing storing(EffectiveSettings settings);

    /** Returns whether a method can have these settings without an exception to retry. */
    public abstract boolean needsNoExceptions(EffectiveSettings settings);

    /** Applies settings to the policy of a retry. */
    public abstract void applyTo(RetryPolicyBuilder policy, EffectiveSettings settings);

    /**
     * Reports settings that cannot apply to a retry.
     *
     * @param faults receives a setting and the problem, as a clause that begins with a comma
     */
    public abstract void check(EffectiveSettings settings, RetryEngine engine, BiConsumer<Setting<?>, String> faults);

    /** Returns why a call that does not belong to a bean cannot have a value, as a clause; {@code null} if it can. */
    public abstract @Nullable String misfitWithoutBean(Setting<?> setting, Object value);

    /**
     * Returns the plural with which operators select several methods, such as {@code lanes} in {@code lanes/mail};
     * {@code null} if the group has no selector.
     */
    public @Nullable String selector() {
        return null;
    }

    /** Returns whether the selector with a given value selects a method. */
    public boolean selects(String value, EffectiveSettings settings) {
        return false;
    }
}
