// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.module.ChangesForAllNodes.SharedStoreException;
import dev.retryon.spring.module.EndpointRequest.Refused;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Changes settings as requested at {@code /actuator/retryon}. Invalid requests are rejected with the reason. */
public final class SettingsChanges {

    private static final String FOR = "for";

    private static final String SCOPE = "scope";

    private static final int CONFLICT = 409;

    /** The parameter that names the process for which a request is intended. */
    private static final String NODE = "node";

    private static final String ALL_NODES = "all";

    private static final String THIS_NODE = "node";

    private final RuntimeSettings settings;

    private final @Nullable ChangesForAllNodes shared;

    /** Creates the handler of changes. Without {@code shared}, only the settings of this process can be changed. */
    public SettingsChanges(RuntimeSettings settings, @Nullable ChangesForAllNodes shared) {
        this.settings = settings;
        this.shared = shared;
    }

    /** Returns the allowed values of {@code scope}. */
    public List<String> scopes() {
        return shared != null && shared.isShared() ? List.of(THIS_NODE, ALL_NODES) : List.of(THIS_NODE);
    }

    /** Returns the changes that are in effect, the weakest first. */
    public List<Change> all() {
        return settings.changes().stream().map(Change::of).toList();
    }

    /**
     * Changes the settings of a policy, a budget or methods at run time.
     *
     * @param kind {@code policies}, {@code budgets} or the plural of a selector; {@code null} if the name refers to
     *     methods
     * @param name the name; empty for all retries
     * @param request the settings by attribute, with {@code for}, {@code scope} and {@code node}
     * @param by the user who sent the request, or {@code null}
     */
    public WebEndpointResponse<Object> change(
            @Nullable String kind, String name, EndpointRequest request, @Nullable String by) {
        return answer(kind, name, request, (target, values) -> {
            String lasting = values.remove(FOR);
            if (values.isEmpty()) {
                throw new IllegalArgumentException(
                        "the request contains no setting; send JSON such as {\"maxAttempts\": 1, \"for\":"
                                + " \"30m\"}, or DELETE to revert all changes here");
            }
            Duration duration = lasting == null ? null : EndpointRequest.duration(FOR, lasting);
            RuntimeChange now = target.shared()
                    ? requireShared().change(target.scope(), target.name(), values, duration, by)
                    : settings.change(target, values, duration, by);
            return now == null
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT)
                    : new WebEndpointResponse<>(Change.of(now));
        });
    }

    public WebEndpointResponse<Object> takeBack(
            @Nullable String kind, String name, EndpointRequest request, @Nullable String by) {
        return answer(kind, name, request, (target, values) -> {
            if (!values.isEmpty()) {
                throw new IllegalArgumentException("DELETE reverts all changes here and does not accept "
                        + String.join(", ", values.keySet()) + "; to revert one setting, POST it with the value null");
            }
            boolean wasChanged = target.shared()
                    ? requireShared().takeBack(target.scope(), target.name(), by)
                    : settings.takeBack(target, by);
            return wasChanged
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT)
                    : Refused.because(WebEndpointResponse.STATUS_NOT_FOUND, nothing(target));
        });
    }

    /** @param action changes the target as requested, by the values that remain without the scope and the node */
    private WebEndpointResponse<Object> answer(
            @Nullable String kind,
            String name,
            EndpointRequest request,
            BiFunction<RuntimeChange.Target, Map<String, @Nullable String>, WebEndpointResponse<Object>> action) {
        try {
            Map<String, @Nullable String> values = request.texts();
            WebEndpointResponse<Object> strayed = strayed(values.remove(NODE));
            return strayed != null ? strayed : action.apply(target(kind, name, isForAllNodes(values)), values);
        } catch (IllegalArgumentException ex) {
            return Refused.because(ex);
        } catch (SharedStoreException ex) {
            StarterLog.warn(String.valueOf(ex.getMessage()), ex.getCause());
            return Refused.because(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(ex.getMessage()));
        }
    }

    /**
     * Rejects a request that a load balancer has sent to a node for which it is not intended.
     *
     * @param node the node in the request; {@code null} if the request is for any node
     * @return {@code null} if the request is for this node
     */
    public static @Nullable WebEndpointResponse<Object> strayed(@Nullable String node) {
        return node == null || node.equals(NodeName.get())
                ? null
                : Refused.because(
                        CONFLICT,
                        "this request is for node '" + node + "', but reached node '" + NodeName.get()
                                + "', so nothing was changed; resend it if a load balancer selects the node, or send"
                                + " it to the address of that node");
    }

    private String nothing(RuntimeChange.Target target) {
        RuntimeChange.Target other = new RuntimeChange.Target(target.scope(), target.name(), !target.shared());
        if (settings.changes().stream().noneMatch(change -> change.target().equals(other))) {
            return "nothing was changed here, so nothing can be reverted";
        }
        return target.shared()
                ? "the change here applies to this node only; use scope=" + THIS_NODE
                : "the change here applies to all nodes; use scope=" + ALL_NODES;
    }

    private ChangesForAllNodes requireShared() {
        if (shared == null) {
            throw new IllegalArgumentException("scope is 'all', but this scope needs a database that all nodes share;"
                    + " add the dependency " + RetryModule.DURABLE.dependency());
        }
        return shared;
    }

    /** Reads and removes the scope. Settings that apply only to stored calls apply to all nodes that share these calls. */
    private boolean isForAllNodes(Map<String, @Nullable String> values) {
        boolean isGiven = values.containsKey(SCOPE);
        String scope = values.remove(SCOPE);
        if (isGiven && !THIS_NODE.equals(scope) && !ALL_NODES.equals(scope)) {
            throw new IllegalArgumentException("scope is '" + scope + "', but must be '" + THIS_NODE
                    + "' for this process only, or '" + ALL_NODES + "' for all nodes that share its database");
        }
        String ofStoredCalls = !scopes().contains(ALL_NODES)
                ? null
                : Setting.ofOperators().stream()
                        .filter(Setting::isOnlyForOperators)
                        .map(Setting::attribute)
                        .filter(values::containsKey)
                        .findFirst()
                        .orElse(null);
        if (ofStoredCalls != null && THIS_NODE.equals(scope)) {
            throw new IllegalArgumentException("scope is 'node', but '" + ofStoredCalls
                    + "' applies to the stored calls that all nodes share; omit the scope, or send 'all'. To run no"
                    + " stored calls on a node, set its retryon.durable.threads to 0");
        }
        if (ofStoredCalls != null
                && !isGiven
                && values.keySet().stream().anyMatch(key -> !key.equals(ofStoredCalls) && !key.equals(FOR))) {
            throw new IllegalArgumentException(
                    "'" + ofStoredCalls + "' applies to all nodes, and the other settings apply only to this node;"
                            + " send them in separate requests, or with the scope 'all'");
        }
        return ofStoredCalls != null || ALL_NODES.equals(scope);
    }

    private static RuntimeChange.Target target(@Nullable String kind, String name, boolean shared) {
        if (kind == null) {
            RuntimeChange.Scope scope = name.isEmpty() ? RuntimeChange.Scope.ALL : RuntimeChange.Scope.NAME;
            return new RuntimeChange.Target(scope, name, shared);
        }
        List<String> selectors = SettingGroup.all().stream()
                .flatMap(group -> Stream.ofNullable(group.selector()))
                .toList();
        if (selectors.contains(kind)) {
            return new RuntimeChange.Target(RuntimeChange.Scope.SELECTED, kind + '/' + name, shared);
        }
        return switch (kind) {
            case "policies" -> new RuntimeChange.Target(RuntimeChange.Scope.POLICY, name, shared);
            case "budgets" -> new RuntimeChange.Target(RuntimeChange.Scope.BUDGET, name, shared);
            default -> {
                List<String> known = Stream.concat(Stream.of("policies", "budgets"), selectors.stream())
                        .map(plural -> plural + "/<name>")
                        .toList();
                throw new IllegalArgumentException(
                        "'" + kind + "' is unknown; use a name, or " + String.join(" or ", known));
            }
        };
    }

    /**
     * A change by an operator.
     *
     * @param path the path below {@code /actuator/retryon}; empty for all retries
     * @param settings the values as text, by attribute
     * @param by the user who made the change, if known
     * @param until when the change expires; {@code null} if it never expires
     * @param scope {@code node} for this process only, {@code all} for all nodes that share its database
     * @param node the process to which the change applies; {@code null} for all nodes
     */
    public record Change(
            String path,
            Map<String, String> settings,
            Instant since,
            @Nullable String by,
            @Nullable Instant until,
            String scope,
            @Nullable String node)
            implements OperationResponseBody {

        static Change of(RuntimeChange change) {
            return new Change(
                    change.target().path(),
                    change.settings().texts(),
                    change.since(),
                    change.by(),
                    change.until(),
                    change.target().shared() ? ALL_NODES : THIS_NODE,
                    change.target().shared() ? null : NodeName.get());
        }
    }
}
