// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Task.Action;
import dev.retryon.durable.internal.actuate.StoredCallsEndpoint.TaskDescription;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.module.EndpointRequest;
import dev.retryon.spring.module.EndpointRequest.Refused;
import dev.retryon.spring.module.SettingsChanges;
import dev.retryon.spring.module.StarterLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.NestedRuntimeException;

/**
 * Operations over the web. Whether values are shown can depend on the user who sends the request. Calls are changed only
 * over the web, with {@code management.endpoint.retryoncalls.access=unrestricted}, and each change records the user. The
 * status is 400 for a wrong request, 404 for an unknown id, and 503 if the store does not respond. The status is 409 if the
 * state of a call does not allow the change, or if no process can run resent calls. Each response contains the reason.
 */
@EndpointWebExtension(endpoint = StoredCallsEndpoint.class)
public class StoredCallsEndpointWebExtension {

    private static final String STORED = "stored calls";

    private static final int ACCEPTED = 202;

    private static final int BAD_REQUEST = 400;

    private static final int CONFLICT = 409;

    private final StoredCallsEndpoint endpoint;

    private final Set<String> roles;

    private final SettingsChanges changes;

    private final ApplicationEventPublisher events;

    public StoredCallsEndpointWebExtension(
            StoredCallsEndpoint endpoint,
            Set<String> roles,
            SettingsChanges changes,
            ApplicationEventPublisher events) {
        this.endpoint = endpoint;
        this.roles = Set.copyOf(roles);
        this.changes = changes;
        this.events = events;
    }

    /** Lists calls. The request has the parameters of {@link StoredCallsEndpoint#calls}. */
    @ReadOperation
    public WebEndpointResponse<Object> calls(SecurityContext securityContext, EndpointRequest request) {
        return answer(() -> new WebEndpointResponse<>(
                endpoint.list(CallRequest.of(request), changes, areValuesShown(securityContext))));
    }

    @ReadOperation
    public WebEndpointResponse<Object> call(SecurityContext securityContext, @Selector String id) {
        return answer(() -> {
            CallDescription call = endpoint.call(id, areValuesShown(securityContext));
            return call == null ? unknown(id) : new WebEndpointResponse<>(call);
        });
    }

    /**
     * Changes a call.
     *
     * @param request flat JSON: {@code action}, which is {@code run-now} or {@code give-up} for a waiting call, and
     *     {@code resend} or {@code discard} for a dead call; also {@code delay} to resend, and {@code reason} to give up or
     *     discard
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            SecurityContext securityContext, @Selector String id, EndpointRequest request) {
        return changed(() -> change(id, CallRequest.of(request), EndpointRequest.caller(securityContext)));
    }

    /**
     * Changes many calls, cancels the task that changes them, or pauses or resumes the calls of a method or lane.
     *
     * @param request flat JSON: {@code action}, which is {@code run-now}, {@code give-up}, {@code resend}, {@code discard},
     *     {@code cancel}, {@code pause} or {@code resume}. For the first four, {@code ids}, else a filter of {@code method},
     *     {@code error}, {@code text}, {@code from} and {@code before}, for waiting calls also {@code lane};
     *     {@code maxPerSecond}, {@code dryRun}, {@code confirm}; {@code reason}. To pause and resume, {@code method} or
     *     {@code lane}, and {@code scope}, {@code node} for this process or {@code all} for all that share its database; to
     *     pause, also {@code for}, a duration after which the calls are resumed
     * @return the number of calls, and the task; or the paused calls, with status 204 if none of them are left, and 404 if
     *     none were paused
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeMany(SecurityContext securityContext, EndpointRequest request) {
        return changed(() -> changeMany(
                CallRequest.of(request).complete(),
                EndpointRequest.caller(securityContext),
                areValuesShown(securityContext)));
    }

    private boolean areValuesShown(SecurityContext securityContext) {
        return endpoint.areValuesShown(securityContext, roles);
    }

    /** Responds with status 400 if the request is wrong, and with 503 if the store is missing or does not respond. */
    private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
        try {
            return operation.get();
        } catch (IllegalArgumentException ex) {
            return Refused.because(ex);
        } catch (NestedRuntimeException | RetryConfigurationException ex) {
            // The first request opens the store, perhaps while the store's beans are being created.
            Throwable reason = ex;
            while (reason instanceof BeansException && reason.getCause() != null) {
                reason = reason.getCause();
            }
            if (reason instanceof RetryConfigurationException) {
                return Refused.because(
                        WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(reason.getMessage()));
            }
            // Errors of databases and transactions. An application with a custom store might not have their classes.
            if (reason instanceof NestedRuntimeException && !(reason instanceof BeansException)) {
                return noAnswer(reason);
            }
            throw ex;
        }
    }

    /** Logs the error and responds with status 503. Error messages contain statements, so they are not shown. */
    private static WebEndpointResponse<Object> noAnswer(Throwable reason) {
        String problem = "the store of " + STORED + " did not respond as expected";
        StarterLog.warn(problem, reason);
        return Refused.because(
                WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                problem + " (" + reason.getClass().getSimpleName() + "); see the application log for the cause");
    }

    /** Responds with status 409 if no call can be resent now, or if a task is running. */
    private static WebEndpointResponse<Object> changed(Supplier<WebEndpointResponse<Object>> operation) {
        return answer(() -> {
            try {
                return operation.get();
            } catch (IllegalStateException ex) {
                return Refused.because(CONFLICT, String.valueOf(ex.getMessage()));
            }
        });
    }

    private StoredCalls callsOf(@Nullable String by) {
        StoredCalls all = endpoint.all();
        return by == null ? all : all.by(by);
    }

    private WebEndpointResponse<Object> change(String id, CallRequest request, @Nullable String by) {
        Action action = request.action();
        request.only(
                switch (action) {
                    case RUN_NOW -> Set.of(CallRequest.ACTION);
                    case RESEND -> Set.of(CallRequest.ACTION, CallRequest.DELAY);
                    case GIVE_UP, DISCARD -> Set.of(CallRequest.ACTION, CallRequest.REASON);
                });
        String reason = request.text(CallRequest.REASON);
        boolean done = change(callsOf(by), action, id, reason, request.delay());
        if (done) {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("id", id);
            if (reason != null) {
                details.put("reason", reason);
            }
            audit(by, CallRequest.verb(action), details);
        }
        StoredCall call = endpoint.all().find(id).orElse(null);
        String state = call == null ? null : CallRequest.tag(call.state());
        if (done) {
            return new WebEndpointResponse<>(new Done(true, state, null));
        }
        return call == null
                ? unknown(id)
                : new WebEndpointResponse<>(new Done(false, state, problem(call, action)), CONFLICT);
    }

    /** Logs and audits a change, with the name of the user. */
    private void audit(@Nullable String by, String action, Map<String, Object> details) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("action", action);
        data.putAll(details);
        String text = data.entrySet().stream().map(Object::toString).collect(Collectors.joining(", "));
        StarterLog.info(StarterLog.plain(STORED + " changed" + (by == null ? "" : " by " + by) + ": " + text));
        try {
            events.publishEvent(new AuditApplicationEvent(by == null ? "" : by, "RETRYON_CALLS_CHANGED", data));
        } catch (Throwable ex) {
            StarterLog.warn(
                    "a listener for audit events threw an exception; the change of " + STORED + " remains in effect",
                    ex);
        }
    }

    private static boolean change(
            StoredCalls calls, Action action, String id, @Nullable String reason, Duration delay) {
        return switch (action) {
            case RUN_NOW -> calls.runNow(id);
            case GIVE_UP -> calls.giveUp(id, reason);
            case RESEND -> calls.resend(id, delay);
            case DISCARD -> calls.discard(id, reason);
        };
    }

    private static String problem(StoredCall call, Action action) {
        if (action == Action.RESEND && call.state() == State.DEAD && call.reason() != null) {
            return "the call could not be resent; see its message and its latest actions (reason '"
                    + CallRequest.tag(call.reason()) + "')";
        }
        if (call.state() == State.RUNNING) {
            return "an attempt of this call is running; try again when it has ended";
        }
        State needed = action == Action.RUN_NOW || action == Action.GIVE_UP ? State.WAITING : State.DEAD;
        if (call.state() == needed) {
            return "the call has just changed; try again";
        }
        return "the call is " + CallRequest.tag(call.state())
                + switch (action) {
                    case RUN_NOW -> ", but only a waiting call can be run now";
                    case GIVE_UP -> ", but only a waiting call can be given up";
                    case RESEND -> ", but only a dead call can be resent";
                    case DISCARD -> ", but only a dead call can be discarded";
                };
    }

    private static WebEndpointResponse<Object> unknown(String id) {
        return Refused.because(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "no stored call has the id '" + id
                        + "'; the call might have succeeded. GET /actuator/retryoncalls?state=all lists all calls");
    }

    private WebEndpointResponse<Object> changeMany(CallRequest request, @Nullable String by, boolean withValues) {
        String action = request.action(List.of(CallRequest.CANCEL, CallRequest.PAUSE, CallRequest.RESUME));
        return switch (action) {
            case CallRequest.PAUSE -> pause(request, true, by);
            case CallRequest.RESUME -> pause(request, false, by);
            case CallRequest.CANCEL -> cancel(request, by, withValues);
            default -> many(request, request.action(action), by, withValues);
        };
    }

    private WebEndpointResponse<Object> cancel(CallRequest request, @Nullable String by, boolean withValues) {
        request.only(Set.of(CallRequest.ACTION));
        StoredCalls.Task task = endpoint.all().task().orElse(null);
        if (task == null || !task.cancel()) {
            return Refused.because(CONFLICT, "no task is running");
        }
        audit(by, CallRequest.CANCEL, Map.of("task", task.id()));
        return new WebEndpointResponse<>(TaskDescription.of(task, withValues));
    }

    /** Handles the listed ids immediately, or all matching calls in the background. */
    private WebEndpointResponse<Object> many(
            CallRequest request, Action action, @Nullable String by, boolean withValues) {
        boolean withReason = action == Action.GIVE_UP || action == Action.DISCARD;
        if (!withReason && request.has(CallRequest.REASON)) {
            throw new IllegalArgumentException("'reason' is only allowed with the actions give-up and discard");
        }
        String reason = request.text(CallRequest.REASON);
        StoredCalls calls = callsOf(by);
        if (request.has(CallRequest.IDS)) {
            request.only(Set.of(CallRequest.ACTION, CallRequest.IDS, CallRequest.REASON));
            List<String> ids = request.ids();
            List<String> moved = new ArrayList<>();
            try {
                ids.stream()
                        .filter(id -> change(calls, action, id, reason, Duration.ZERO))
                        .forEach(moved::add);
            } finally {
                // Even if the store fails for one of the calls.
                if (!moved.isEmpty()) {
                    audit(by, CallRequest.verb(action), Map.of("ids", moved));
                }
            }
            return new WebEndpointResponse<>(new Selected(
                    moved, ids.stream().filter(id -> !moved.contains(id)).toList()));
        }
        StoredCalls.Bulk how = request.bulk();
        StoredCalls.Filter filter = request.bulk(action, withValues);
        StoredCalls.Task task = switch (action) {
            case RUN_NOW -> calls.runAllNow(filter, how);
            case GIVE_UP -> calls.giveUpAll(filter, reason, how);
            case RESEND -> calls.resendAll(filter, how);
            case DISCARD -> calls.discardAll(filter, reason, how);
        };
        if (how.dryRun()) {
            return new WebEndpointResponse<>(TaskDescription.of(task, withValues));
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("task", task.id());
        data.put("matched", task.matched());
        data.put("filter", filter.toString());
        audit(by, CallRequest.verb(action), data);
        return new WebEndpointResponse<>(TaskDescription.of(task, withValues), ACCEPTED);
    }

    private WebEndpointResponse<Object> pause(CallRequest request, boolean isPause, @Nullable String by) {
        request.only(CallRequest.pause(isPause));
        WebEndpointResponse<Object> strayed = SettingsChanges.strayed(request.text(CallRequest.NODE));
        if (strayed != null) {
            return strayed;
        }
        String lane = request.text(CallRequest.LANE);
        String name = lane != null ? lane : request.text(CallRequest.METHOD);
        if (name == null || (lane != null && request.has(CallRequest.METHOD))) {
            throw new IllegalArgumentException("the request must have either a method or a lane; send JSON such as"
                    + " {\"action\": \"pause\", \"lane\": \"mail\", \"for\": \"30m\"}");
        }
        String shared = changes.scopes().contains("all") ? "all" : "node";
        String scope = Objects.requireNonNullElse(request.text(CallRequest.SCOPE), shared);
        String kind = lane == null ? null : "lanes";
        if (!isPause && changes.scopes().contains(scope) && !isPaused(kind == null ? name : kind + '/' + name, scope)) {
            return Refused.because(
                    WebEndpointResponse.STATUS_NOT_FOUND,
                    "'" + name + "' is not paused with scope '" + scope + "'; the field 'paused' in the list of"
                            + " waiting calls shows all pauses with their scopes");
        }
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put(DurableGroup.PAUSED.attribute(), isPause ? "true" : null);
        values.put(CallRequest.SCOPE, scope);
        if (request.has(CallRequest.FOR)) {
            values.put(CallRequest.FOR, request.text(CallRequest.FOR));
        }
        WebEndpointResponse<Object> answer = changes.change(kind, name, new EndpointRequest(values), by);
        if (answer.getStatus() < BAD_REQUEST) {
            audit(
                    by,
                    isPause ? CallRequest.PAUSE : CallRequest.RESUME,
                    Map.of(lane == null ? CallRequest.METHOD : CallRequest.LANE, name, CallRequest.SCOPE, scope));
        }
        return answer;
    }

    private boolean isPaused(String path, String scope) {
        return StoredCallsEndpoint.paused(changes).stream()
                .anyMatch(change -> change.path().equals(path) && change.scope().equals(scope));
    }

    /** The result for one call, with its current state; {@code null} if the call has ended and was deleted meanwhile. */
    record Done(
            boolean done, @Nullable String state, @Nullable String problem) implements OperationResponseBody {}

    /** The result for several ids. Skipped ids are unknown, or the state of their call does not allow the change. */
    record Selected(List<String> moved, List<String> skipped) implements OperationResponseBody {}
}
