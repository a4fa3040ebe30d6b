/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.observe;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;

/** The gauges of the store. Names and tag keys are fixed; to change them in a registry, use a meter filter. */
enum StoreMeterDocumentation implements MeterDocumentation {

    /** Dead letters in the store, which all processes that share it report. */
    DEAD_LETTERS("retryon.deadletters", Meter.Type.GAUGE, "Dead letters in the store", Status.STATUS),

    /** How long ago the oldest call died that was neither sent again nor discarded. */
    DEAD_LETTERS_OLDEST(
            "retryon.deadletters.oldest",
            Meter.Type.GAUGE,
            "Age of the oldest dead letter that is neither" + " resent nor discarded"),

    /** Durable calls in the store that no worker has. */
    DURABLE_WAITING("retryon.durable.waiting", Meter.Type.GAUGE, "Durable calls that wait for a worker", Lane.LANE),

    /** For how long the first of the durable calls that no worker has is due. */
    DURABLE_LAG(
            "retryon.durable.lag", Meter.Type.GAUGE, "Time since the first waiting durable call was due", Lane.LANE),

    /** Durable calls in the store that do not run, because their lane does not. */
    DURABLE_BLOCKED(
            "retryon.durable.blocked",
            Meter.Type.GAUGE,
            "Waiting durable calls of a lane whose calls do not run at the moment",
            Lane.LANE,
            Lane.REASON),

    /** How long the longest attempt has run that this process runs. */
    DURABLE_LONGEST_ATTEMPT(
            "retryon.durable.longest.attempt",
            Meter.Type.GAUGE,
            "Age of the longest running attempt of a durable call in this process"),

    /** Durable calls that this process has not stored, because a call with their unique key was. */
    DURABLE_DUPLICATES(
            "retryon.durable.duplicates",
            Meter.Type.COUNTER,
            "Durable calls not stored because of their unique key",
            Called.NAME);

    private final String name;

    private final Meter.Type type;

    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // only copies of it leave this class
    private final KeyName[] keys;

    StoreMeterDocumentation(String name, Meter.Type type, String description, KeyName... keys) {
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

    /** What registries show as the meter's description. */
    public String getDescription() {
        return description;
    }

    /** The key of the tag. */
    enum Status implements KeyName {

        /** The status of a dead letter: {@code dead}, {@code retrying}, {@code resolved} or {@code discarded}. */
        STATUS;

        @Override
        public String asString() {
            return "status";
        }
    }

    /** The key of the tag of meters by method. */
    enum Called implements KeyName {

        /** The name of the method, as in the meters of its retries. */
        NAME;

        @Override
        public String asString() {
            return "name";
        }
    }

    /** The keys of the tags of gauges by lane. */
    enum Lane implements KeyName {

        /** The lane of durable calls; {@code default} is the one of methods that name none. */
        LANE,

        /** Why calls of the lane do not run: {@code no-threads}, {@code paused}, {@code probing}, {@code rate} or {@code partly-paused}. */
        REASON;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
