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
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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

    private static final String RETRY = "retry";

    private static final String DISCARD = "discard";

    private static final String CANCEL = "cancel";

    private static final int ACCEPTED = 202;

    private static final int CONFLICT = 409;

    private final Supplier<DeadLetters> letters;

    private final ChangeAudit audit;

    LetterChanges(Supplier<DeadLetters> letters, ApplicationEventPublisher events) {
        this.letters = letters;
        this.audit = new ChangeAudit(events, "dead letters", "RETRYON_DEAD_LETTERS_CHANGED");
    }

    private DeadLetters lettersFor(@Nullable String by) {
        DeadLetters all = letters.get();
        return by == null ? all : all.by(by);
    }

    /** Sends a call again, or discards it. */
    WebEndpointResponse<Object> one(String id, LetterRequest request, @Nullable String by) {
        boolean isRetry = request.action(RETRY, DISCARD).equals(RETRY);
        request.only(Set.of(LetterRequest.ACTION, isRetry ? LetterRequest.DELAY : LetterRequest.REASON));
        DeadLetters mine = lettersFor(by);
        return isRetry
                ? done(mine, id, RETRY, by, mine.retry(id, request.delay()))
                : done(mine, id, DISCARD, by, mine.discard(id, request.text(LetterRequest.REASON)));
    }

    WebEndpointResponse<Object> discard(String id, LetterRequest request, @Nullable String by) {
        request.only(Set.of(LetterRequest.REASON));
        DeadLetters mine = lettersFor(by);
        return done(mine, id, DISCARD, by, mine.discard(id, request.text(LetterRequest.REASON)));
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
                    + (action.equals(RETRY) ? "sent again" : "discarded");
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
        String action = request.action(RETRY, DISCARD, CANCEL);
        if (action.equals(CANCEL)) {
            request.only(Set.of(LetterRequest.ACTION));
            return cancel(by, withValues);
        }
        boolean isRetry = action.equals(RETRY);
        if (isRetry && request.has(LetterRequest.REASON)) {
            throw new IllegalArgumentException("'reason' is only allowed with the action discard");
        }
        DeadLetters mine = lettersFor(by);
        if (request.has(LetterRequest.IDS)) {
            request.only(Set.of(LetterRequest.ACTION, LetterRequest.IDS, LetterRequest.REASON));
            return selected(mine, request, isRetry, by);
        }
        Set<String> known = new TreeSet<>(LetterRequest.BULK);
        known.add(LetterRequest.IDS);
        return matching(mine, request.only(known), isRetry, by, withValues);
    }

    private WebEndpointResponse<Object> selected(
            DeadLetters mine, LetterRequest request, boolean isRetry, @Nullable String by) {
        List<String> ids = request.ids();
        String reason = request.text(LetterRequest.REASON);
        List<String> moved = ids.stream()
                .filter(id -> isRetry ? mine.retry(id) : mine.discard(id, reason))
                .toList();
        if (!moved.isEmpty()) {
            audit.changed(by, isRetry ? RETRY : DISCARD, Map.of("ids", moved));
        }
        List<String> skipped = ids.stream().filter(id -> !moved.contains(id)).toList();
        return new WebEndpointResponse<>(new Selected(moved, skipped));
    }

    private WebEndpointResponse<Object> matching(
            DeadLetters mine, LetterRequest request, boolean isRetry, @Nullable String by, boolean withValues) {
        DeadLetterFilter filter = request.filter(withValues);
        DeadLetters.Bulk bulk = request.bulk();
        String reason = request.text(LetterRequest.REASON);
        DeadLetters.Task task;
        try {
            task = isRetry ? mine.retryAll(filter, bulk) : mine.discardAll(filter, reason, bulk);
        } catch (IllegalStateException ex) {
            return Refused.because(CONFLICT, String.valueOf(ex.getMessage()));
        }
        if (bulk.dryRun()) {
            return new WebEndpointResponse<>(BulkDescription.of(task, withValues));
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("task", task.id());
        data.put("matched", task.matched());
        data.put("filter", filter.toString());
        audit.changed(by, isRetry ? RETRY : DISCARD, data);
        return new WebEndpointResponse<>(BulkDescription.of(task, withValues), ACCEPTED);
    }

    private WebEndpointResponse<Object> cancel(@Nullable String by, boolean withValues) {
        DeadLetters.Task task = letters.get().task().orElse(null);
        if (task == null || !task.cancel()) {
            return Refused.because(CONFLICT, "no task is running in this process");
        }
        audit.changed(by, CANCEL, Map.of("task", task.id()));
        return new WebEndpointResponse<>(BulkDescription.of(task, withValues));
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

    /**
     * What came of a request for some dead letters.
     *
     * @param moved the ids of those with which it was done
     * @param skipped the ids of those that are unknown or whose state does not admit it
     */
    record Selected(List<String> moved, List<String> skipped) implements OperationResponseBody {}

    /**
     * A task that deals with many dead letters.
     *
     * @param task its id; {@code null} for a dry run
     * @param action what it does
     * @param state where it stands
     * @param matched how many dead letters there were when it was asked for
     * @param moved how many it has moved so far
     * @param skipped how many it has passed by
     * @param startedAt when it was started
     * @param before the time before which its dead letters died: the {@code before} of the request that follows a dry run
     * @param failure the error that has ended it, without its message unless values are shown; or {@code null}
     */
    record BulkDescription(
            @Nullable String task,
            String action,
            String state,
            long matched,
            long moved,
            long skipped,
            Instant startedAt,
            Instant before,
            @Nullable String failure)
            implements OperationResponseBody {

        static BulkDescription of(DeadLetters.Task task, boolean withValues) {
            return new BulkDescription(
                    task.state() == DeadLetters.Task.State.DRY_RUN ? null : task.id(),
                    task.action() == DeadLetterStatus.RETRYING ? RETRY : DISCARD,
                    LetterRequest.tag(task.state()),
                    task.matched(),
                    task.moved(),
                    task.skipped(),
                    task.startedAt(),
                    task.before(),
                    withValues ? task.failure() : type(task.failure()));
        }

        /** The class of an error, whose message may show a statement and its values. */
        private static @Nullable String type(@Nullable String failure) {
            return failure == null ? null : failure.split(":", 2)[0];
        }
    }
}
