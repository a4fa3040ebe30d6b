// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.spring.module.NamedError;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The meters of retried calls. Names and tag keys are fixed; to change them in a registry, use a meter filter. */
enum RetryMeterDocumentation implements MeterDocumentation {

    /** Includes calls that succeeded at the first attempt. */
    CALLS("retryon.calls", Meter.Type.COUNTER, "Calls to retried methods", TagKey.NAME, TagKey.OUTCOME, TagKey.REASON),

    /** Counted when the engine decides to retry. */
    RETRIES("retryon.retries", Meter.Type.COUNTER, "Retries", TagKey.NAME, TagKey.EXCEPTION),

    /** Recorded when the wait begins. */
    DELAY("retryon.delay", Meter.Type.TIMER, "Waits before retries", TagKey.NAME),

    WAITING("retryon.waiting", Meter.Type.GAUGE, "Calls that are waiting for their next attempt", TagKey.NAME),

    BUDGET_TOKENS("retryon.budget.tokens", Meter.Type.GAUGE, "Tokens in the budget", TagKey.BUDGET),

    BUDGET_DENIED("retryon.budget.denied", Meter.Type.COUNTER, "Retries that the budget denied", TagKey.BUDGET),

    DEAD_LETTERS_STORED("retryon.deadletters.stored", Meter.Type.COUNTER, "Calls stored as dead letters", TagKey.NAME),

    /** Registered at the first failure. */
    EXTENSION_ERRORS(
            "retryon.extension.errors",
            Meter.Type.COUNTER,
            "Exceptions thrown by listeners, gates and other extensions",
            TagKey.NAME,
            TagKey.KIND);

    private final String name;

    private final Meter.Type type;

    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // only copies of this array leave this class
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

    String getDescription() {
        return description;
    }

    Counter counter(MeterRegistry registry, Tags tags) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    <T> void counter(MeterRegistry registry, Tags tags, T source, ToDoubleFunction<T> count) {
        FunctionCounter.builder(name, source, count)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    <T> void gauge(MeterRegistry registry, Tags tags, T source, ToDoubleFunction<T> value) {
        Gauge.builder(name, source, value).description(description).tags(tags).register(registry);
    }

    Timer timer(MeterRegistry registry, Tags tags) {
        return Timer.builder(name).description(description).tags(tags).register(registry);
    }

    enum TagKey implements KeyName {

        /** The retried method: {@code PaymentService.charge}, or the {@code name} of the annotation. */
        NAME,

        /** {@code success}, {@code success_after_retry}, {@code recovered}, {@code failure} or {@code cancelled}. */
        OUTCOME,

        /** Why the call was not, or no longer, retried: a stop reason in lower case; {@code none} on success. */
        REASON,

        /** The class of the retried error, as {@link NamedError#of} names it. */
        EXCEPTION,

        BUDGET,

        /** The extension that failed: {@code listener}, {@code gate}, {@code meter} and so on. */
        KIND;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }

        Tags tag(String value) {
            return Tags.of(asString(), value);
        }
    }
}
