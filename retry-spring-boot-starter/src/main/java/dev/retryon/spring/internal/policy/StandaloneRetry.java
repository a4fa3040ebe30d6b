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
import org.jspecify.annotations.Nullable;

/** A retry that belongs to no method of a bean, but to an HTTP client or to code that got it from the registry. */
public final class StandaloneRetry extends NamedRetry {

    /** The settings that name methods of the bean, and the reasons why other calls cannot have these settings. */
    private static final Map<Setting<?>, String> OF_BEANS = Map.of(
            Setting.RECOVER, "only a retried method of a bean can have a recovery method",
            Setting.BEFORE_RETRY, "only a retried method of a bean can run a method before a retry");

    /** The name in code, which meters and endpoints do not show if there are too many names. */
    private final String given;

    private final @Nullable String policy;

    private final @Nullable RetryPolicy code;

    /** {@code null} for a retry of the registry. */
    private final ClientRetries.@Nullable Client client;

    private StandaloneRetry(
            String shown,
            String given,
            @Nullable String policy,
            @Nullable RetryPolicy code,
            ClientRetries.@Nullable Client client) {
        super(shown);
        this.given = given;
        this.policy = policy;
        this.code = code;
        this.client = client;
    }

    static StandaloneRetry ofPolicy(String policy) {
        return new StandaloneRetry(policy, policy, policy, null, null);
    }

    static StandaloneRetry ofCode(String shown, String given, RetryPolicy code) {
        return new StandaloneRetry(shown, given, null, code, null);
    }

    static StandaloneRetry ofClient(String shown, ClientRetries.Client client) {
        return new StandaloneRetry(shown, client.name(), client.policy(), client.code(), client);
    }

    boolean isClient() {
        return client != null;
    }

    /** Returns the policy that was built programmatically, or {@code null} if the policy comes from properties. */
    @Nullable RetryPolicy code() {
        return code;
    }

    /** Returns the name under which the retry has its own budget. All HTTP clients share one budget. */
    String budgetOwner() {
        return isClient() ? "http" : name();
    }

    /** Returns the reason why the retry cannot have a value for a setting, as a clause, or {@code null} if it can. */
    @Nullable String misfit(Setting<?> setting, @Nullable Object value) {
        String reason = isClient() && setting.equals(Setting.RETRY_IF)
                ? "an HTTP request returns no value to check"
                : OF_BEANS.get(setting);
        for (SettingGroup group : SettingGroup.all()) {
            reason = reason == null && value != null ? group.misfitWithoutBean(setting, value) : reason;
        }
        return reason == null || !isClient()
                ? reason
                : reason + "; use a separate policy for HTTP requests: retryon.http.policy";
    }

    /** Returns a general layer, such as {@code retryon.defaults}, without the settings that apply only to methods. */
    public RetrySettings withoutMisfits(RetrySettings layer) {
        return layer.without(
                setting -> setting.equals(Setting.BUDGET_KEY) || misfit(setting, layer.get(setting)) != null);
    }

    @Override
    public EffectiveSettings settings() {
        if (code == null) {
            return super.settings();
        }
        // Values that exist only as code are in the policy, and the layers contain values set by operators.
        List<RetrySettings> all = layers().all();
        List<RetrySettings> ofOperators = all.subList(1, all.size());
        return EffectiveSettings.of(policy()).with(ofOperators);
    }

    @Override
    public Map<String, EffectiveSettings.Value<?>> shownSettings() {
        Map<String, EffectiveSettings.Value<?>> shown = new LinkedHashMap<>(super.shownSettings());
        if (client != null) {
            shown.putAll(client.others());
        }
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
            layers.addAll(base.policy(place(), policy));
        }
        return layers;
    }

    @Override
    Place place() {
        return client == null ? Place.code("Retry '" + name() + "'") : Place.property(client.property());
    }

    @Override
    RetryBuilder builder(RetryPolicy made, RetryEngine engine) {
        RetryBuilder builder = client == null
                ? Retry.builder(given, made).engine(engine)
                : client.builder().apply(made);
        return builder.listener(new Owner(this));
    }

    /** Keeps a retry reachable while its calls run, because an operator can end their waits. Ignores events. */
    private record Owner(StandaloneRetry retry) implements RetryListener {

        @Override
        public void onEvent(RetryEvent event) {}
    }
}
