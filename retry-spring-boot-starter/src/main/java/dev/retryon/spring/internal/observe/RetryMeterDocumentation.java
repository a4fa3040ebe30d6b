/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;

/** The meters of retried calls. Names and tag keys are fixed; to change them in a registry, use a meter filter. */
enum RetryMeterDocumentation implements MeterDocumentation {

    /** Calls that have ended, including calls that succeeded at the first attempt. */
    CALLS("retryon.calls", Meter.Type.COUNTER, "Calls of retried methods", TagKey.NAME, TagKey.OUTCOME, TagKey.REASON),

    /** Retries: one for each attempt after the first, counted when it is decided on. */
    RETRIES("retryon.retries", Meter.Type.COUNTER, "Retries", TagKey.NAME, TagKey.EXCEPTION),

    /** The waits before retries, recorded when they begin. */
    DELAY("retryon.delay", Meter.Type.TIMER, "Waits before retries", TagKey.NAME),

    /** Calls that wait for their next attempt at this moment. */
    WAITING("retryon.waiting", Meter.Type.GAUGE, "Calls that are waiting for their next attempt", TagKey.NAME),

    /** Retries that a budget currently allows. */
    BUDGET_TOKENS("retryon.budget.tokens", Meter.Type.GAUGE, "Retries that the budget currently allows", TagKey.BUDGET),

    /** Retries that a budget has denied. */
    BUDGET_DENIED("retryon.budget.denied", Meter.Type.COUNTER, "Retries that the budget denied", TagKey.BUDGET),

    /** Calls that have failed for good and were kept as dead letters. */
    DEAD_LETTERS_STORED("retryon.deadletters.stored", Meter.Type.COUNTER, "Calls kept as dead letters", TagKey.NAME),

    /** Failures of extensions, such as listeners, gates and meter registries. Registered at the first failure. */
    FAULTS(
            "retryon.faults",
            Meter.Type.COUNTER,
            "Failures of listeners, gates and other extensions",
            TagKey.NAME,
            TagKey.KIND);

    private final String name;

    private final Meter.Type type;

    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // only copies of it leave this class
    private final KeyName[] keys;

    RetryMeterDocumentation(String name, Meter.Type type, String description, KeyName... keys) {
        this.name = name;
        this.type = type;
        this.description = description;
        this.keys = keys;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public KeyName[] getKeyNames() {
        return keys.clone();
    }

    /** The description of the meter, as registries show it. */
    public String getDescription() {
        return description;
    }

    /** The keys of the meters' tags. */
    public enum TagKey implements KeyName {

        /** The retried method: {@code PaymentService.charge}, or the {@code name} of the annotation. */
        NAME,

        /**
         * The end of the call: {@code success}, {@code success_after_retry}, {@code recovered}, {@code failure} or
         * {@code cancelled}.
         */
        OUTCOME,

        /** Why the call was not, or no longer, retried: a stop reason in lower case; {@code none} on success. */
        REASON,

        /**
         * The simple name of the class of the error that is retried, {@code result} for a returned value; {@code other}
         * for every name after the first hundred.
         */
        EXCEPTION,

        /** The name of the budget. */
        BUDGET,

        /** The extension that failed: {@code listener}, {@code gate}, {@code meter} and so on. */
        KIND;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
