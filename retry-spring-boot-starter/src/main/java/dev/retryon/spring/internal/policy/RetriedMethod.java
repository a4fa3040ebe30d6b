/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bean's method that is retried, with its settings, their sources and its policy. An operator may
 * change its settings while the application runs. Thread-safe.
 */
public final class RetriedMethod {

    private final Class<?> beanClass;

    private final Method method;

    private final MethodKey key;

    private final @Nullable SettingSource barrier;

    private final RetrySwitch retrySwitch;

    private volatile Retry retry;

    private volatile Merged merged;

    /** The barrier is the annotation that inherits nothing, if there is one. */
    RetriedMethod(
            Class<?> beanClass,
            Method method,
            MethodLayers configuration,
            List<RetryLayer> layers,
            @Nullable SettingSource barrier,
            RetrySwitch retrySwitch,
            Retry retry) {
        this.beanClass = beanClass;
        this.method = method;
        this.key = MethodKey.of(beanClass, method);
        this.barrier = barrier;
        this.retrySwitch = retrySwitch;
        this.retry = retry;
        this.merged = new Merged(configuration, layers, layers);
    }

    /** Its name in meters, events, logs and endpoints, such as {@code PaymentService.charge}. Overloads share a name. */
    public String name() {
        return retry.name();
    }

    /** The bean's class, not that of a proxy; an interface if the bean is known only by one. */
    public Class<?> beanClass() {
        return beanClass;
    }

    /** The most specific method. */
    public Method method() {
        return method;
    }

    /** The key of the method, which no other method has: the long form. */
    public MethodKey key() {
        return key;
    }

    /**
     * The method with its parameters, to tell overloads apart; a key for {@code retryon.methods}: the short form of the key, such
     * as {@code com.acme.PaymentService#charge(Order,String)}; the long form if the short one fits another overload too.
     */
    public String signature() {
        MethodKey written = MethodKey.parse(key.toShortString());
        return RetryDeclarations.methodsOf(beanClass, written::fits).size() > 1 ? key.toString() : written.toString();
    }

    /** The settings of the method and their sources. */
    public EffectiveSettings settings() {
        return merged.settings();
    }

    /** Whether calls of the method survive the process. */
    public boolean isDurable() {
        return settings().isDurable();
    }

    /** The lane of its stored calls. */
    public String lane() {
        return settings().lane();
    }

    /** Whether an operator has paused its stored calls while the application runs. */
    public boolean isPaused() {
        return Boolean.TRUE.equals(settings().get(Setting.PAUSED));
    }

    /** The annotation that makes weaker ones void; {@code null} if all annotations count. */
    public @Nullable SettingSource barrier() {
        return barrier;
    }

    /** The policy made of the settings. */
    public RetryPolicy policy() {
        return retry.policy();
    }

    /** The retry that runs its calls. */
    public Retry retry() {
        return retry;
    }

    /** Whether an operator has switched the retries of this method off while the application runs; {@code false} nearly always. */
    public boolean isSwitchedOff() {
        return retrySwitch.isOff();
    }

    /** The texts of annotations with placeholders or expressions, by what they give, which may be a secret. */
    public Map<String, String> placeholders() {
        Map<String, String> placeholders = new HashMap<>();
        layers().forEach(layer -> placeholders.putAll(layer.placeholders()));
        return placeholders;
    }

    /** The layers without those of operators. */
    List<RetryLayer> layers() {
        return merged.own;
    }

    /** The source of all layers except those of operators. */
    MethodLayers configuration() {
        return merged.configuration;
    }

    RetrySwitch retrySwitch() {
        return retrySwitch;
    }

    /**
     * Applies other settings. Running calls keep theirs. The new value of the switch applies after {@link
     * #obeySwitch()}.
     *
     * @param configuration what the layers without those of operators were gathered from
     * @param own the layers without those of operators
     * @param all all layers
     * @param next what runs calls from now on
     */
    void become(MethodLayers configuration, List<RetryLayer> own, List<RetryLayer> all, Retry next) {
        merged = new Merged(configuration, own, all);
        retry = next;
    }

    /** Sets the switch as configured. If it is switched off, waiting calls end. */
    void obeySwitch() {
        boolean off;
        do {
            off = merged.settings().isSwitchedOff();
            if (off) {
                retrySwitch.turnOff();
            } else {
                retrySwitch.turnOn();
            }
        } while (off != merged.settings().isSwitchedOff());
    }

    /** Whether these are all layers that hold, those of operators too. */
    boolean has(List<RetryLayer> all) {
        List<RetryLayer> known = merged.layers;
        return known.equals(all) || (known.size() == all.size() && isSameInOtherWords(known, all));
    }

    /** Whether settings that were read again are the same. */
    private static boolean isSameInOtherWords(List<RetryLayer> some, List<RetryLayer> others) {
        for (int i = 0; i < some.size(); i++) {
            RetryLayer one = some.get(i);
            RetryLayer other = others.get(i);
            if (!one.source().equals(other.source())
                    || !one.settings().values().equals(other.settings().values())) {
                return false;
            }
        }
        return true;
    }

    /** Layers, merged when they are first asked for: calls need only the policy. */
    private static final class Merged {

        private final MethodLayers configuration;

        /** Without those of operators. */
        private final List<RetryLayer> own;

        private final List<RetryLayer> layers;

        private @Nullable EffectiveSettings settings;

        private Merged(MethodLayers configuration, List<RetryLayer> own, List<RetryLayer> layers) {
            this.configuration = configuration;
            this.own = own;
            this.layers = layers;
        }

        private EffectiveSettings settings() {
            EffectiveSettings known = settings;
            if (known == null) {
                known = EffectiveSettings.defaults().with(layers);
                settings = known;
            }
            return known;
        }
    }

    @Override
    public String toString() {
        return key.toString();
    }
}
