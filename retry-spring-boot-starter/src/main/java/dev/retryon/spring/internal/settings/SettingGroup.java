// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicyBuilder;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * Settings that a module adds to those of {@code @RetryOn}, which have the same layers. They have an annotation of their own,
 * and a block of properties in each block of settings. Settings are read before there are beans, so groups are found in
 * {@code META-INF/spring.factories}. An implementation has no state and a constructor without parameters.
 */
public abstract class SettingGroup {

    /** For subclasses. */
    protected SettingGroup() {}

    /** Which calls of a method are stored, to run later through their bean. */
    public enum Storing {
        NONE,

        /** Calls that have failed for good. */
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

    /** The groups of all modules. */
    public static List<SettingGroup> all() {
        return Found.GROUPS;
    }

    /** The group that has an annotation; {@code null} if none has. */
    public static @Nullable SettingGroup of(Class<?> annotation) {
        for (SettingGroup group : all()) {
            if (group.annotation() == annotation) {
                return group;
            }
        }
        return null;
    }

    /** The name of its block of properties. */
    public abstract String name();

    /** Its annotation, which is annotated with {@code @RetryOn}, so that it selects methods as that does. */
    public abstract Class<? extends Annotation> annotation();

    /**
     * Its settings, in the order in which they are shown. The first one is {@code value} of the annotation; the others have no
     * effect without it.
     */
    public abstract List<Setting<?>> settings();

    /** Those of its settings that are expressions over the arguments of calls that are handed over. */
    public List<Setting<String>> keys() {
        return List.of();
    }

    /** Which calls are stored. */
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

    /** Why calls that belong to no bean can't have a value, as a clause; {@code null} if they can. */
    public abstract @Nullable String misfitWithoutBean(Setting<?> setting, Object value);

    /**
     * The settings whose values stand for several methods, by the plural that is part of addresses: operators can change all
     * methods of {@code <plural>/<value>}.
     */
    public Map<String, Setting<String>> selectors() {
        return Map.of();
    }

    /** Whether a method belongs to a value of a selector. */
    public boolean selects(Setting<String> selector, String value, EffectiveSettings settings) {
        return storing(settings).handsOver() && value.equals(settings.get(selector));
    }
}
