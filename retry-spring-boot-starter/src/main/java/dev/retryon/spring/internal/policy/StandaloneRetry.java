// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.Place;
import dev.retryon.spring.module.ClientRetries;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A retry that belongs to no method of a bean: that of an HTTP client, or one that code got from the registry. */
public final class StandaloneRetry extends NamedRetry {

    /** The settings that name methods of the bean, and why other calls can't have them. */
    private static final Map<Setting<?>, String> OF_BEANS = Map.of(
            Setting.RECOVER, "there is no bean with a recovery method",
            Setting.BEFORE_RETRY, "there is no bean with a method to run");

    /** The users of such retries. */
    public enum Use {
        HTTP_CLIENT,
        REGISTRY
    }

    private final Use use;

    private final Place place;

    private final @Nullable String policy;

    private final @Nullable RetryPolicy code;

    private final BiFunction<RetryPolicy, RetryEngine, RetryBuilder> builder;

    private final Map<String, EffectiveSettings.Value<?>> others;

    private StandaloneRetry(
            Use use,
            String name,
            Place place,
            @Nullable String policy,
            @Nullable RetryPolicy code,
            BiFunction<RetryPolicy, RetryEngine, RetryBuilder> builder,
            Map<String, EffectiveSettings.Value<?>> others) {
        super(name);
        this.use = use;
        this.place = place;
        this.policy = policy;
        this.code = code;
        this.builder = builder;
        this.others = others;
    }

    /** Creates a retry of the registry with a policy of {@code retryon.policies}. */
    static StandaloneRetry ofPolicy(String policy) {
        return ofRegistry(policy, policy, policy, null);
    }

    /** Creates a retry of the registry with a policy that was built in code. */
    static StandaloneRetry ofCode(String shown, String name, RetryPolicy code) {
        return ofRegistry(shown, name, null, code);
    }

    private static StandaloneRetry ofRegistry(
            String shown, String name, @Nullable String policy, @Nullable RetryPolicy code) {
        return new StandaloneRetry(
                Use.REGISTRY,
                shown,
                Place.code("Retry '" + shown + "'"),
                policy,
                code,
                (made, engine) -> Retry.builder(name, made).engine(engine),
                Map.of());
    }

    /** Creates the retry of an HTTP client, with its name in meters and endpoints. */
    static StandaloneRetry ofClient(String shown, ClientRetries.Client client) {
        return new StandaloneRetry(
                Use.HTTP_CLIENT,
                shown,
                Place.property(client.property()),
                client.policy(),
                client.code(),
                (made, engine) -> client.builder().apply(made),
                client.others());
    }

    public Use use() {
        return use;
    }

    /** The policy that was built in code; {@code null} if it comes from properties. */
    @Nullable RetryPolicy code() {
        return code;
    }

    /** The name under which it has its own budget; HTTP clients share one. */
    String budgetOwner() {
        return use == Use.HTTP_CLIENT ? "http" : name();
    }

    /** Why it can't have a value of a setting, as a clause; {@code null} if it can. */
    @Nullable String misfit(Setting<?> setting, @Nullable Object value) {
        boolean isClient = use == Use.HTTP_CLIENT;
        String reason = isClient && setting.equals(Setting.RETRY_IF)
                ? "there is no returned value to check"
                : OF_BEANS.get(setting);
        for (SettingGroup group : SettingGroup.all()) {
            reason = reason == null && value != null ? group.misfitWithoutBean(setting, value) : reason;
        }
        return reason == null || !isClient
                ? reason
                : reason + " in HTTP requests; use a separate policy for them, retryon.http.policy";
    }

    /** A layer that is for everything, such as {@code retryon.defaults}, without the settings that are for methods alone. */
    public RetrySettings withoutMisfits(RetrySettings layer) {
        return layer.without(
                setting -> setting.equals(Setting.BUDGET_KEY) || misfit(setting, layer.get(setting)) != null);
    }

    @Override
    public EffectiveSettings settings() {
        if (code == null) {
            return super.settings();
        }
        // Values that exist only as code are in the policy, and operators set the others.
        List<RetrySettings> all = layers().all();
        List<RetrySettings> ofOperators = all.subList(1, all.size());
        return EffectiveSettings.of(policy()).with(ofOperators);
    }

    @Override
    public Map<String, EffectiveSettings.Value<?>> shownSettings() {
        Map<String, EffectiveSettings.Value<?>> shown = new LinkedHashMap<>(super.shownSettings());
        shown.putAll(others);
        return shown;
    }

    @Override
    List<RetrySettings> layersIn(MethodLayers base) {
        if (code != null) {
            return List.of(RetrySettings.of(code));
        }
        List<RetrySettings> layers = new ArrayList<>();
        layers.add(withoutMisfits(base.configured().defaults()));
        if (policy != null) {
            layers.addAll(base.policy(place, policy));
        }
        return layers;
    }

    @Override
    Place place() {
        return place;
    }

    @Override
    RetryBuilder builder(RetryPolicy made, RetryEngine engine) {
        return builder.apply(made, engine).listener(new Owner(this));
    }

    /** Keeps a retry reachable while its calls run, because an operator can end their waits. Ignores events. */
    private record Owner(StandaloneRetry retry) implements RetryListener {

        @Override
        public void onEvent(RetryEvent event) {}
    }
}
