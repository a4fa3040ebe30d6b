// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import dev.retryon.spring.internal.actuate.ChangeAudit;
import dev.retryon.spring.internal.actuate.EndpointRequest;
import dev.retryon.spring.internal.actuate.Refused;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Operations over the web. The user who sends the request may decide whether values are shown. Dead letters are changed only
 * over the web, with {@code management.endpoint.deadletters.access=unrestricted}, and each change records the user. Status 400
 * is for a wrong request, 404 for an unknown id, 409 if the status of a dead letter does not allow the change or if nothing can
 * run resent calls, and 503 if the store does not respond; each has a reason.
 */
@EndpointWebExtension(endpoint = DeadLettersEndpoint.class)
public class DeadLettersEndpointWebExtension {

    private static final String STORED = "dead letters";

    private static final int CONFLICT = 409;

    private final DeadLettersEndpoint endpoint;

    private final Set<String> roles;

    private final ChangeAudit audit;

    private final BulkChanges bulk;

    public DeadLettersEndpointWebExtension(
            DeadLettersEndpoint endpoint, Set<String> roles, ApplicationEventPublisher events) {
        this.endpoint = endpoint;
        this.roles = Set.copyOf(roles);
        this.audit = new ChangeAudit(events, STORED, "RETRYON_DEAD_LETTERS_CHANGED");
        this.bulk = new BulkChanges(audit);
    }

    /** The request has the parameters of {@link DeadLettersEndpoint#letters}. */
    @ReadOperation
    public WebEndpointResponse<Object> letters(SecurityContext securityContext, EndpointRequest request) {
        return answer(() ->
                new WebEndpointResponse<>(endpoint.list(LetterRequest.of(request), areValuesShown(securityContext))));
    }

    @ReadOperation
    public WebEndpointResponse<Object> letter(SecurityContext securityContext, @Selector String id) {
        return answer(() -> {
            DeadLetterDescription letter = endpoint.letter(id, areValuesShown(securityContext));
            return letter == null ? unknown(id) : new WebEndpointResponse<>(letter);
        });
    }

    /**
     * Resends a call, or discards it.
     *
     * @param request flat JSON: {@code action}, which is {@code retry} or {@code discard}; for the former {@code delay}, for the
     *     latter {@code reason}
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            SecurityContext securityContext, @Selector String id, EndpointRequest request) {
        return changed(() -> one(id, LetterRequest.of(request), ChangeAudit.caller(securityContext)));
    }

    /**
     * Resends many calls, discards them, or cancels the task that does so.
     *
     * @param request flat JSON: {@code action}, which is {@code retry}, {@code discard} or {@code cancel}; {@code ids}, else a
     *     filter of {@code method}, {@code error}, {@code text}, {@code from} and {@code before}; {@code maxPerSecond}, {@code
     *     dryRun}, {@code confirm}; {@code reason}
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeMany(SecurityContext securityContext, EndpointRequest request) {
        return changed(() ->
                many(LetterRequest.of(request), ChangeAudit.caller(securityContext), areValuesShown(securityContext)));
    }

    /** Discards a call. The dead letter is kept. */
    @DeleteOperation
    public WebEndpointResponse<Object> discard(
            SecurityContext securityContext, @Selector String id, EndpointRequest request) {
        return answer(() -> discard(id, LetterRequest.of(request), ChangeAudit.caller(securityContext)));
    }

    private boolean areValuesShown(SecurityContext securityContext) {
        return endpoint.areValuesShown(securityContext, roles);
    }

    private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> operation) {
        return Refused.orAnswer(STORED, operation);
    }

    /** Answers with 409 if no call can be resent now. */
    private static WebEndpointResponse<Object> changed(Supplier<WebEndpointResponse<Object>> operation) {
        return answer(() -> {
            try {
                return operation.get();
            } catch (IllegalStateException ex) {
                return Refused.because(CONFLICT, String.valueOf(ex.getMessage()));
            }
        });
    }

    private DeadLetters lettersFor(@Nullable String by) {
        DeadLetters all = endpoint.all();
        return by == null ? all : all.by(by);
    }

    private WebEndpointResponse<Object> one(String id, LetterRequest request, @Nullable String by) {
        boolean isRetry = request.action(BulkChanges.RETRY, BulkChanges.DISCARD).equals(BulkChanges.RETRY);
        request.only(Set.of(LetterRequest.ACTION, isRetry ? LetterRequest.DELAY : LetterRequest.REASON));
        DeadLetters mine = lettersFor(by);
        return isRetry
                ? done(mine, id, BulkChanges.RETRY, by, mine.retry(id, request.delay()))
                : done(mine, id, BulkChanges.DISCARD, by, mine.discard(id, request.text(LetterRequest.REASON)));
    }

    private WebEndpointResponse<Object> discard(String id, LetterRequest request, @Nullable String by) {
        request.only(Set.of(LetterRequest.REASON));
        DeadLetters mine = lettersFor(by);
        return done(mine, id, BulkChanges.DISCARD, by, mine.discard(id, request.text(LetterRequest.REASON)));
    }

    private WebEndpointResponse<Object> done(
            DeadLetters mine, String id, String action, @Nullable String by, boolean done) {
        if (done) {
            audit.changed(by, action, Map.of("id", id));
        }
        Optional<DeadLetter> now = mine.find(id);
        if (now.isEmpty()) {
            return done
                    ? new WebEndpointResponse<>(new Done(true, null, null)) // deleted meanwhile
                    : unknown(id);
        }
        String status = LetterRequest.tag(now.get().status());
        return done
                ? new WebEndpointResponse<>(new Done(true, status, null))
                : new WebEndpointResponse<>(new Done(false, status, problem(now.get(), action)), CONFLICT);
    }

    private static String problem(DeadLetter letter, String action) {
        if (letter.status() != DeadLetterStatus.DEAD) {
            return "it is " + LetterRequest.tag(letter.status()) + ", but only a dead letter with the status dead can"
                    + " be "
                    + (action.equals(BulkChanges.RETRY) ? "sent again" : "discarded");
        }
        return "it could not be resent; see its reason ('" + LetterRequest.tag(letter.reason())
                + "'), its message and its latest actions";
    }

    private static WebEndpointResponse<Object> unknown(String id) {
        return Refused.because(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "there is no dead letter '" + id + "'; GET /actuator/deadletters?status=all lists all dead letters");
    }

    /** Handles the listed ids at once, or all matching dead letters in the background. */
    private WebEndpointResponse<Object> many(LetterRequest request, @Nullable String by, boolean withValues) {
        request.complete();
        String action = request.action(BulkChanges.RETRY, BulkChanges.DISCARD, BulkChanges.CANCEL);
        if (action.equals(BulkChanges.CANCEL)) {
            request.only(Set.of(LetterRequest.ACTION));
            return bulk.cancel(endpoint.all().task(), by, withValues);
        }
        boolean isRetry = action.equals(BulkChanges.RETRY);
        if (isRetry && request.has(LetterRequest.REASON)) {
            throw new IllegalArgumentException("'reason' is only allowed with the action discard");
        }
        DeadLetters mine = lettersFor(by);
        String reason = request.text(LetterRequest.REASON);
        if (request.has(LetterRequest.IDS)) {
            request.only(Set.of(LetterRequest.ACTION, LetterRequest.IDS, LetterRequest.REASON));
            return bulk.selected(action, request.ids(), id -> isRetry ? mine.retry(id) : mine.discard(id, reason), by);
        }
        DeadLetterFilter filter = request.only(LetterRequest.BULK).filter(withValues);
        DeadLetters.Bulk how = request.bulk();
        return bulk.matching(
                action,
                filter,
                how.dryRun(),
                () -> isRetry ? mine.retryAll(filter, how) : mine.discardAll(filter, reason, how),
                by,
                withValues);
    }

    /**
     * The result of a request for one dead letter.
     *
     * @param status the status of the dead letter now; {@code null} if it was deleted meanwhile
     */
    record Done(
            boolean done, @Nullable String status, @Nullable String problem) implements OperationResponseBody {}
}
