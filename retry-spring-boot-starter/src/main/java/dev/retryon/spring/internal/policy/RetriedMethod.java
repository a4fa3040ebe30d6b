// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.LookUp;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A bean's method that is retried, with its settings, their sources and its policy. An operator may
 * change its settings while the application runs. Thread-safe.
 */
public final class RetriedMethod {

    private final Class<?> beanClass;

    private final Method method;

    private final MethodKey key;

    private final String name;

    private final @Nullable SettingSource barrier;

    private final RetrySwitch retrySwitch = new RetrySwitch();

    private volatile Retry retry;

    private volatile Merged merged;

    /**
     * Creates a method and its retry.
     *
     * @param given its name; {@code null} for the default one
     * @param retry creates the retry from the other parts of the method
     */
    RetriedMethod(
            Class<?> beanClass,
            Method method,
            @Nullable String given,
            @Nullable SettingSource barrier,
            MethodLayers configuration,
            List<RetryLayer> layers,
            Function<RetriedMethod, Retry> retry) {
        this.beanClass = beanClass;
        this.method = method;
        this.key = MethodKey.of(beanClass, method);
        this.name = given == null ? defaultName(beanClass, method) : given;
        this.barrier = barrier;
        this.merged = new Merged(configuration, layers, layers);
        this.retry = retry.apply(this);
    }

    private static String defaultName(Class<?> beanClass, Method method) {
        return beanClass.getSimpleName() + "." + method.getName();
    }

    /** Its name in meters, events, logs and endpoints, such as {@code PaymentService.charge}. Overloads share a name. */
    public String name() {
        return name;
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

    public EffectiveSettings settings() {
        return merged.settings.get();
    }

    /** Whether a call can have a second attempt. */
    public boolean isRepeated() {
        return policy().retryable() && policy().maxAttempts() > 1;
    }

    public boolean isDurable() {
        return settings().isDurable();
    }

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

    public RetryPolicy policy() {
        return retry.policy();
    }

    public Retry retry() {
        return retry;
    }

    /** Whether an operator has switched the retries of this method off while the application runs; {@code false} nearly always. */
    public boolean isSwitchedOff() {
        return retrySwitch.isOff();
    }

    /** The texts of annotations with placeholders or expressions, by their values, which may be secrets. */
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
     * @param own the layers without those of operators
     */
    void become(MethodLayers configuration, List<RetryLayer> own, List<RetryLayer> all, Retry next) {
        merged = new Merged(configuration, own, all);
        retry = next;
    }

    /** Sets the switch as configured. If it is switched off, waiting calls end. */
    public void obeySwitch() {
        boolean off;
        do {
            off = merged.settings.get().isSwitchedOff();
            if (off) {
                retrySwitch.turnOff();
            } else {
                retrySwitch.turnOn();
            }
        } while (off != merged.settings.get().isSwitchedOff());
    }

    /** Whether layers, those of operators too, have the same sources and values as the current ones. */
    boolean has(List<RetryLayer> all) {
        return entries(merged.layers).equals(entries(all));
    }

    private static List<Map.Entry<SettingSource, Map<Setting<?>, Object>>> entries(List<RetryLayer> layers) {
        return layers.stream()
                .map(layer -> Map.entry(layer.source(), layer.settings().values()))
                .toList();
    }

    /**
     * Layers, which are merged on first use, because calls need only the policy.
     *
     * @param own those without the ones of operators
     */
    private record Merged(
            MethodLayers configuration,
            List<RetryLayer> own,
            List<RetryLayer> layers,
            Supplier<EffectiveSettings> settings) {

        Merged(MethodLayers configuration, List<RetryLayer> own, List<RetryLayer> layers) {
            this(
                    configuration,
                    own,
                    layers,
                    new LookUp<>(() -> EffectiveSettings.defaults().with(layers)));
        }
    }

    @Override
    public String toString() {
        return key.toString();
    }
}
