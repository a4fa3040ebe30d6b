// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.Place;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.RetrySettings;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A retry with its settings and their sources: that of a bean's method, or one that belongs to no method. Its settings
 * may change while the application runs. Thread-safe.
 */
@SuppressWarnings("NullAway.Init") // built before anything else sees it
public abstract sealed class NamedRetry permits MethodRetry, StandaloneRetry {

    private final String name;

    private final RetrySwitch retrySwitch = new RetrySwitch();

    private volatile Layers layers;

    private volatile Retry retry;

    NamedRetry(String name) {
        this.name = name;
    }

    /**
     * Layers, which are merged on first use, because calls need only the policy.
     *
     * @param base the properties and the code that they come from
     * @param own those without the ones of operators
     */
    record Layers(
            MethodLayers base, List<RetrySettings> own, List<RetrySettings> all, Supplier<EffectiveSettings> settings) {

        Layers(MethodLayers base, List<RetrySettings> own, List<RetrySettings> all) {
            this(base, own, all, new LookUp<>(() -> EffectiveSettings.defaults().with(all)));
        }
    }

    /** Its name in meters, events, logs and endpoints, such as {@code PaymentService.charge}. Several can share a name. */
    public String name() {
        return name;
    }

    public EffectiveSettings settings() {
        return layers.settings().get();
    }

    /** The settings with their sources by attribute, as endpoints show them. */
    public Map<String, EffectiveSettings.Value<?>> shownSettings() {
        return settings().byAttribute();
    }

    public RetryPolicy policy() {
        return retry.policy();
    }

    /** The retry of calls that begin now. */
    public Retry retry() {
        return retry;
    }

    /** Whether an operator has switched it off while the application runs; {@code false} nearly always. */
    public boolean isSwitchedOff() {
        return retrySwitch.isOff();
    }

    RetrySwitch retrySwitch() {
        return retrySwitch;
    }

    Layers layers() {
        return layers;
    }

    /**
     * Applies other settings. Running calls keep theirs. The new value of the switch applies after {@link
     * #obeySwitch()}.
     */
    void become(Layers next, Retry made) {
        layers = next;
        retry = made;
    }

    /** Sets the switch as configured. If it is switched off, waiting calls end. */
    public void obeySwitch() {
        boolean off;
        do {
            off = settings().isSwitchedOff();
            if (off) {
                retrySwitch.turnOff();
            } else {
                retrySwitch.turnOn();
            }
        } while (off != settings().isSwitchedOff());
    }

    /** Whether layers, those of operators too, have the same sources and values as the current ones. */
    boolean has(List<RetrySettings> all) {
        return RetrySettings.haveSameSources(layers.all(), all);
    }

    /** The layers that some properties give it, without those of operators. */
    abstract List<RetrySettings> layersIn(MethodLayers base);

    /** Where to look if the settings do not fit each other. */
    abstract Place place();

    /** A builder for its retry, without the parts that are the same for all retries. */
    abstract RetryBuilder builder(RetryPolicy policy, RetryEngine engine);
}
