// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.observe;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;

/** The gauges of the store. Names and tag keys are fixed; to change them in a registry, use a meter filter. */
enum StoreMeterDocumentation implements MeterDocumentation {
    DEAD_LETTERS("retryon.deadletters", Meter.Type.GAUGE, "Dead letters in the store", Key.STATE),

    DEAD_LETTERS_OLDEST(
            "retryon.deadletters.oldest",
            Meter.Type.GAUGE,
            "Age of the oldest dead letter that is neither resent nor discarded"),

    DURABLE_WAITING("retryon.durable.waiting", Meter.Type.GAUGE, "Durable calls waiting for a worker", Key.LANE),

    DURABLE_LAG(
            "retryon.durable.lag", Meter.Type.GAUGE, "Time since the first waiting durable call became due", Key.LANE),

    DURABLE_BLOCKED(
            "retryon.durable.blocked",
            Meter.Type.GAUGE,
            "Waiting durable calls of a lane that is not open",
            Key.LANE,
            Key.REASON),

    DURABLE_UNRESOLVED(
            "retryon.durable.unresolved",
            Meter.Type.GAUGE,
            "Waiting durable calls whose method does not exist in any running process"),

    DURABLE_ORDER_KEYS("retryon.durable.order.keys", Meter.Type.GAUGE, "Order keys with blocked durable calls"),

    DURABLE_ORDER_OLDEST("retryon.durable.order.oldest", Meter.Type.GAUGE, "Age of the oldest blocked durable call"),

    DURABLE_LONGEST_ATTEMPT(
            "retryon.durable.longest.attempt",
            Meter.Type.GAUGE,
            "Age of the longest-running attempt of a durable call in this process"),

    DURABLE_DUPLICATES(
            "retryon.durable.duplicates",
            Meter.Type.COUNTER,
            "Durable calls not stored because of their unique key",
            Key.NAME);

    private final String name;

    private final Meter.Type type;

    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // only copies of this array leave this class
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

    public String getDescription() {
        return description;
    }

    enum Key implements KeyName {

        /** The state of a dead letter: {@code dead}, {@code waiting} while it is resent, {@code resolved} or {@code discarded}. */
        STATE,

        NAME,

        /** The lane of durable calls; {@code default} is the lane of methods that do not name a lane. */
        LANE,

        /** Why calls of the lane do not run: {@code no-threads}, {@code paused}, {@code probing}, {@code rate} or {@code partly-paused}. */
        REASON;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
