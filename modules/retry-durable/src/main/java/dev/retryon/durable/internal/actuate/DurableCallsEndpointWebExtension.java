// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.internal.actuate.ChangeAudit;
import dev.retryon.spring.internal.actuate.EndpointRequest;
import dev.retryon.spring.internal.actuate.Refused;
import dev.retryon.spring.internal.actuate.SettingsChanges;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Operations over the web. The user who sends the request may decide whether values are shown. Calls are changed only over the
 * web, with {@code management.endpoint.durablecalls.access=unrestricted}. Status 400 is for a wrong request, 404 for an unknown
 * id, 409 if the state of a call does not allow the change, and 503 if the store does not respond; each has a reason.
 */
@EndpointWebExtension(endpoint = DurableCallsEndpoint.class)
public class DurableCallsEndpointWebExtension {

    private static final String STORED = "durable calls";

    private static final String PAUSE = "pause";

    private static final String RESUME = "resume";

    private static final int BAD_REQUEST = 400;

    private static final int CONFLICT = 409;

    private final DurableCallsEndpoint endpoint;

    private final Set<String> roles;

    private final SettingsChanges changes;

    private final ChangeAudit audit;

    private final BulkChanges bulk;

    public DurableCallsEndpointWebExtension(
            DurableCallsEndpoint endpoint,
            Set<String> roles,
            SettingsChanges changes,
            ApplicationEventPublisher events) {
        this.endpoint = endpoint;
        this.roles = Set.copyOf(roles);
        this.changes = changes;
        this.audit = new ChangeAudit(events, STORED, "RETRYON_DURABLE_CALLS_CHANGED");
        this.bulk = new BulkChanges(audit);
    }

    /** The request has the parameters of {@link DurableCallsEndpoint#calls}. */
    @ReadOperation
    public WebEndpointResponse<Object> calls(SecurityContext securityContext, EndpointRequest request) {
        return answer(() -> new WebEndpointResponse<>(
                endpoint.list(LetterRequest.of(request), changes, areValuesShown(securityContext))));
    }

    @ReadOperation
    public WebEndpointResponse<Object> call(SecurityContext securityContext, @Selector String id) {
        return answer(() -> {
            DurableCallsEndpoint.Call call = endpoint.call(id, areValuesShown(securityContext));
            return call == null ? unknown(id) : new WebEndpointResponse<>(call);
        });
    }

    /**
     * Pauses the calls of a method or a lane, or resumes them. Runs many calls now, gives them up, or cancels the task that does
     * so.
     *
     * @param request flat JSON: {@code action}, which is {@code pause}, {@code resume}, {@code retry}, {@code give-up} or {@code
     *     cancel}. To pause and resume, {@code method} or {@code lane}, and {@code scope}, {@code node} for this process or {@code
     *     all} for all that share its database; to pause, also {@code for}, a duration after which the calls are resumed. To retry
     *     and give up, {@code ids}, else a filter of {@code method}, {@code error}, {@code lane}, {@code text}, {@code from} and
     *     {@code before}; {@code maxPerSecond}, {@code dryRun}, {@code confirm}; {@code reason}
     * @return what is paused; status 204 if nothing is left of it, 404 if nothing was paused; or how many calls there are, and the
     *     task
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeMany(SecurityContext securityContext, EndpointRequest request) {
        return answer(() -> changeMany(
                LetterRequest.of(request), ChangeAudit.caller(securityContext), areValuesShown(securityContext)));
    }

    private WebEndpointResponse<Object> changeMany(LetterRequest request, @Nullable String by, boolean withValues) {
        String action = request.action(PAUSE, RESUME, BulkChanges.RETRY, BulkChanges.GIVE_UP, BulkChanges.CANCEL);
        switch (action) {
            case PAUSE, RESUME -> {
                return pause(request, by);
            }
            case BulkChanges.CANCEL -> {
                request.only(Set.of(LetterRequest.ACTION));
                return bulk.cancel(endpoint.all().task(), by, withValues);
            }
            default -> {
                return bulk(request.complete(), action, by, withValues);
            }
        }
    }

    private WebEndpointResponse<Object> bulk(
            LetterRequest request, String action, @Nullable String by, boolean withValues) {
        boolean isRetry = action.equals(BulkChanges.RETRY);
        if (isRetry && request.has(LetterRequest.REASON)) {
            throw new IllegalArgumentException("'reason' is only allowed with the action give-up");
        }
        WaitingCalls all = endpoint.all();
        String reason = request.text(LetterRequest.REASON);
        if (request.has(LetterRequest.IDS)) {
            request.only(Set.of(LetterRequest.ACTION, LetterRequest.IDS, LetterRequest.REASON));
            return bulk.selected(action, request.ids(), id -> isRetry ? all.retry(id) : all.giveUp(id, by, reason), by);
        }
        CallLedger.Filter filter = request.only(LetterRequest.CALLS_BULK).calls();
        DeadLetters.Bulk how = request.bulk();
        var unused = all.ledger(); // throws if there is none
        return bulk.matching(
                action,
                filter,
                how.dryRun(),
                () -> isRetry ? all.retryAll(filter, how) : all.giveUpAll(filter, by, reason, how),
                by,
                withValues);
    }

    private WebEndpointResponse<Object> pause(LetterRequest request, @Nullable String by) {
        boolean isPause = request.action(PAUSE, RESUME).equals(PAUSE);
        request.only(LetterRequest.pause(isPause)).complete();
        String lane = request.text(LetterRequest.LANE);
        String name = lane != null ? lane : request.text(LetterRequest.METHOD);
        if (name == null || (lane != null && request.has(LetterRequest.METHOD))) {
            throw new IllegalArgumentException("the request must have either a method or a lane; send JSON such as"
                    + " {\"action\": \"pause\", \"lane\": \"mail\", \"for\": \"30m\"}");
        }
        String scope = Objects.requireNonNullElse(request.text(LetterRequest.SCOPE), "node");
        String kind = lane == null ? null : "lanes";
        if (!isPause && changes.scopes().contains(scope) && !isPaused(kind == null ? name : kind + '/' + name, scope)) {
            return Refused.because(
                    WebEndpointResponse.STATUS_NOT_FOUND,
                    "'" + name + "' is not paused with scope '" + scope + "'; the list of durable calls has all pauses"
                            + " and their scopes in 'paused'");
        }
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        values.put(DurableGroup.PAUSED.attribute(), isPause ? "true" : null);
        values.put(LetterRequest.SCOPE, scope);
        if (request.has(LetterRequest.FOR)) {
            values.put(LetterRequest.FOR, request.text(LetterRequest.FOR));
        }
        WebEndpointResponse<Object> answer = changes.change(kind, name, () -> values, by);
        if (answer.getStatus() < BAD_REQUEST) {
            audit.changed(
                    by,
                    isPause ? PAUSE : RESUME,
                    Map.of(lane == null ? LetterRequest.METHOD : LetterRequest.LANE, name, LetterRequest.SCOPE, scope));
        }
        return answer;
    }

    private boolean isPaused(String path, String scope) {
        return DurableCallsEndpoint.paused(changes).stream()
                .anyMatch(change -> change.path().equals(path) && change.scope().equals(scope));
    }

    /**
     * Runs a call now, or gives it up.
     *
     * @param request flat JSON: {@code action}, which is {@code retry} or {@code give-up}; for the latter {@code reason}
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            SecurityContext securityContext, @Selector String id, EndpointRequest request) {
        return answer(() -> change(id, LetterRequest.of(request), ChangeAudit.caller(securityContext)));
    }

    private WebEndpointResponse<Object> change(String id, LetterRequest request, @Nullable String by) {
        String action = request.action(BulkChanges.RETRY, BulkChanges.GIVE_UP);
        boolean isRetry = action.equals(BulkChanges.RETRY);
        request.only(isRetry ? Set.of(LetterRequest.ACTION) : Set.of(LetterRequest.ACTION, LetterRequest.REASON));
        String reason = request.text(LetterRequest.REASON);
        boolean done = isRetry ? endpoint.all().retry(id) : endpoint.all().giveUp(id, by, reason);
        if (done) {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("id", id);
            if (reason != null) {
                details.put("reason", reason);
            }
            audit.changed(by, action, details);
            return new WebEndpointResponse<>(new Done(true, null));
        }
        return endpoint.all().ledger().find(id).isEmpty()
                ? unknown(id)
                : new WebEndpointResponse<>(
                        new Done(false, "an attempt of this call is running; try again when it has ended"), CONFLICT);
    }

    private boolean areValuesShown(SecurityContext securityContext) {
        return endpoint.areValuesShown(securityContext, roles);
    }

    private static WebEndpointResponse<Object> unknown(String id) {
        return Refused.because(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "no durable call '" + id + "' is waiting; it may have finished, or be a dead letter now");
    }

    private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
        try {
            return Refused.orAnswer(STORED, operation);
        } catch (IllegalStateException ex) {
            return Refused.because(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(ex.getMessage()));
        }
    }

    record Done(boolean done, @Nullable String problem) implements OperationResponseBody {}
}
