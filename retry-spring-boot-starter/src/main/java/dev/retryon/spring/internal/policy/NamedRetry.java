// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.Place;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetrySettings;
import java.util.List;
import java.util.Map;

/** A retry of a bean's method or of no method. Its settings can change while the application runs. Thread-safe. */
@SuppressWarnings("NullAway.Init") // built before other code has access to it
public abstract sealed class NamedRetry permits MethodRetry, StandaloneRetry {

    private final String name;

    private final RetrySwitch retrySwitch = new RetrySwitch();

    private volatile Layers layers;

    private volatile Retry retry;

    NamedRetry(String name) {
        this.name = name;
    }

    /**
     * Layers, and the settings that they result in.
     *
     * @param base the properties and annotations that the layers come from
     * @param own the layers without those of operators
     */
    record Layers(MethodLayers base, List<RetrySettings> own, List<RetrySettings> all, EffectiveSettings settings) {

        Layers(MethodLayers base, List<RetrySettings> own, List<RetrySettings> all) {
            this(base, own, all, EffectiveSettings.defaults().with(all));
        }
    }

    /** Returns the name in meters, events, logs and endpoints. Several retries can share a name. */
    public String name() {
        return name;
    }

    public EffectiveSettings settings() {
        return layers.settings();
    }

    public Map<String, EffectiveSettings.Value<?>> shownSettings() {
        return settings().byAttribute();
    }

    public RetryPolicy policy() {
        return retry.policy();
    }

    /** Returns the retry for calls that begin now. */
    public Retry retry() {
        return retry;
    }

    /** Returns whether an operator has switched the retry off while the application runs. This is rare. */
    public boolean isSwitchedOff() {
        return retrySwitch.isOff();
    }

    RetrySwitch retrySwitch() {
        return retrySwitch;
    }

    Layers layers() {
        return layers;
    }

    /** Replaces the settings of later calls. The new value of the switch applies after {@link #obeySwitch()}. */
    void become(Layers next, Retry made) {
        layers = next;
        retry = made;
    }

    /** Sets the switch as configured. If retries are switched off, waiting calls end. */
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

    /** Returns whether the given layers, with the operators' layers, have the same sources and values as the current ones. */
    boolean has(List<RetrySettings> all) {
        return RetrySettings.haveSameSources(layers.all(), all);
    }

    /** Returns the retry's layers for the given properties, without the operators' layers. */
    abstract List<RetrySettings> layersIn(MethodLayers base);

    /** Returns the place that messages name if the settings contradict each other. */
    abstract Place place();

    /** Returns a builder for the retry, without the parts that are the same for all retries. */
    abstract RetryBuilder builder(RetryPolicy policy, RetryEngine engine);
}
