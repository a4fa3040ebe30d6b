/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;

/**
 * The meters of retried calls. Names and tag keys are fixed; to change them in a registry, use a meter filter.
 */
enum RetryMeterDocumentation implements MeterDocumentation {

    /** Calls that have ended, those included that succeeded at once. */
    CALLS("retryon.calls", Meter.Type.COUNTER, "Calls of retried methods", TagKey.NAME, TagKey.OUTCOME, TagKey.REASON),

    /** Retries: one for each attempt after the first, counted when it is decided on. */
    RETRIES("retryon.retries", Meter.Type.COUNTER, "Retries", TagKey.NAME, TagKey.EXCEPTION),

    /** The waits before retries, recorded when they begin. */
    DELAY("retryon.delay", Meter.Type.TIMER, "Waits before retries", TagKey.NAME),

    /** Calls that wait for their next attempt at this moment. */
    WAITING("retryon.waiting", Meter.Type.GAUGE, "Calls that wait for their next attempt", TagKey.NAME),

    /** Retries that a budget would grant at this moment. */
    BUDGET_TOKENS("retryon.budget.tokens", Meter.Type.GAUGE, "Retries that the budget would grant", TagKey.BUDGET),

    /** Retries that a budget has refused. */
    BUDGET_DENIED("retryon.budget.denied", Meter.Type.COUNTER, "Retries that the budget refused", TagKey.BUDGET),

    /** Dead letters in the store, which all processes that share it report. */
    DEAD_LETTERS("retryon.deadletters", Meter.Type.GAUGE, "Dead letters in the store", TagKey.STATUS),

    /** How long ago the oldest call died that was neither sent again nor discarded. */
    DEAD_LETTERS_OLDEST("retryon.deadletters.oldest", Meter.Type.GAUGE, "Age of the oldest letter that is dead"),

    /** Durable calls in the store that no worker has. */
    DURABLE_WAITING("retryon.durable.waiting", Meter.Type.GAUGE, "Durable calls that wait for a worker"),

    /** For how long the first of the durable calls that no worker has is due. */
    DURABLE_LAG("retryon.durable.lag", Meter.Type.GAUGE, "Time since the first waiting durable call was due"),

    /** Calls that have failed for good and were kept as dead letters. */
    DEAD_LETTERS_STORED("retryon.deadletters.stored", Meter.Type.COUNTER, "Calls kept as dead letters", TagKey.NAME),

    /** Failures of what takes part in calls, such as listeners, gates and meter registries. Made by the first failure. */
    FAULTS("retryon.faults", Meter.Type.COUNTER, "Failures of listeners, gates and the like", TagKey.NAME, TagKey.KIND);

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

    /**
     * What registries show as the meter's description.
     *
     * @return a few words
     */
    public String getDescription() {
        return description;
    }

    /** The keys of the meters' tags. */
    public enum TagKey implements KeyName {

        /** What is retried: {@code PaymentService.charge}, or the {@code name} of the annotation. */
        NAME,

        /**
         * How the call ended: {@code success}, {@code success_after_retry}, {@code recovered}, {@code failure} or {@code
         * cancelled}.
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

        /** Where a dead letter stands: {@code dead}, {@code retrying}, {@code resolved} or {@code discarded}. */
        STATUS,

        /** What failed: {@code listener}, {@code gate}, {@code meter} and so on. */
        KIND;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
