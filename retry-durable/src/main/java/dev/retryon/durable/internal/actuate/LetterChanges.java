/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.actuate;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import dev.retryon.spring.internal.actuate.ChangeAudit;
import dev.retryon.spring.internal.actuate.Refused;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Changes dead letters as {@code /actuator/deadletters} is asked to, and has that audited. What the state of a dead letter does
 * not admit is answered with 409 and words.
 */
final class LetterChanges {

    static final Duration LONGEST_DELAY = Duration.ofDays(365);

    private static final int CONFLICT = 409;

    private final Supplier<DeadLetters> letters;

    private final ChangeAudit audit;

    private final BulkChanges bulk;

    LetterChanges(Supplier<DeadLetters> letters, ApplicationEventPublisher events) {
        this.letters = letters;
        this.audit = new ChangeAudit(events, "dead letters", "RETRYON_DEAD_LETTERS_CHANGED");
        this.bulk = new BulkChanges(audit);
    }

    private DeadLetters lettersFor(@Nullable String by) {
        DeadLetters all = letters.get();
        return by == null ? all : all.by(by);
    }

    /** Sends a call again, or discards it. */
    WebEndpointResponse<Object> one(String id, LetterRequest request, @Nullable String by) {
        boolean isRetry = request.action(BulkChanges.RETRY, BulkChanges.DISCARD).equals(BulkChanges.RETRY);
        request.only(Set.of(LetterRequest.ACTION, isRetry ? LetterRequest.DELAY : LetterRequest.REASON));
        DeadLetters mine = lettersFor(by);
        return isRetry
                ? done(mine, id, BulkChanges.RETRY, by, mine.retry(id, request.delay()))
                : done(mine, id, BulkChanges.DISCARD, by, mine.discard(id, request.text(LetterRequest.REASON)));
    }

    WebEndpointResponse<Object> discard(String id, LetterRequest request, @Nullable String by) {
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

    static WebEndpointResponse<Object> unknown(String id) {
        return Refused.because(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "there is no dead letter '" + id + "'; GET /actuator/deadletters?status=all lists all dead letters");
    }

    /** Sends calls again or discards them: those of the ids at once, else in the background those that match. */
    WebEndpointResponse<Object> many(LetterRequest request, @Nullable String by, boolean withValues) {
        request.complete();
        String action = request.action(BulkChanges.RETRY, BulkChanges.DISCARD, BulkChanges.CANCEL);
        if (action.equals(BulkChanges.CANCEL)) {
            request.only(Set.of(LetterRequest.ACTION));
            return bulk.cancel(letters.get().task(), by, withValues);
        }
        boolean isRetry = action.equals(BulkChanges.RETRY);
        if (isRetry && request.has(LetterRequest.REASON)) {
            throw new IllegalArgumentException("'reason' is only allowed with the action discard");
        }
        DeadLetters mine = lettersFor(by);
        if (request.has(LetterRequest.IDS)) {
            request.only(Set.of(LetterRequest.ACTION, LetterRequest.IDS, LetterRequest.REASON));
            return selected(mine, request, isRetry, by);
        }
        return matching(mine, request.only(LetterRequest.BULK), isRetry, by, withValues);
    }

    private WebEndpointResponse<Object> selected(
            DeadLetters mine, LetterRequest request, boolean isRetry, @Nullable String by) {
        String reason = request.text(LetterRequest.REASON);
        return isRetry
                ? bulk.selected(BulkChanges.RETRY, request.ids(), mine::retry, by)
                : bulk.selected(BulkChanges.DISCARD, request.ids(), id -> mine.discard(id, reason), by);
    }

    private WebEndpointResponse<Object> matching(
            DeadLetters mine, LetterRequest request, boolean isRetry, @Nullable String by, boolean withValues) {
        DeadLetterFilter filter = request.filter(withValues);
        DeadLetters.Bulk how = request.bulk();
        String reason = request.text(LetterRequest.REASON);
        return bulk.matching(
                isRetry ? BulkChanges.RETRY : BulkChanges.DISCARD,
                filter,
                how.dryRun(),
                () -> isRetry ? mine.retryAll(filter, how) : mine.discardAll(filter, reason, how),
                by,
                withValues);
    }

    /**
     * What came of a request for one dead letter.
     *
     * @param done whether it was done
     * @param status where the dead letter stands now; {@code null} if it was deleted meanwhile
     * @param problem why it was not done; {@code null} if it was
     */
    record Done(
            boolean done, @Nullable String status, @Nullable String problem) implements OperationResponseBody {}
}
