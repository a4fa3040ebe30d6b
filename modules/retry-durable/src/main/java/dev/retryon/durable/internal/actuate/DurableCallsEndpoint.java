// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.backoff.DurationText;
import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.internal.actuate.SettingsChanges;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Durable calls that wait for their next attempt, of all processes that share the store: {@code /actuator/durablecalls} and
 * {@code /actuator/durablecalls/{id}}. Arguments and messages are shown as those of dead letters are.
 */
@Endpoint(id = "durablecalls", defaultAccess = Access.READ_ONLY)
public class DurableCallsEndpoint {

    private static final int GROUPS = 100;

    /** The name of calls whose row has none. */
    private static final String UNKNOWN = "unknown";

    private final Supplier<WaitingCalls> calls;

    private final Show showValues;

    public DurableCallsEndpoint(Supplier<WaitingCalls> calls, Show showValues) {
        this.calls = calls;
        this.showValues = showValues;
    }

    /**
     * Lists calls, those that are due next first.
     *
     * @param from the earliest time of the first attempt, or {@code null}
     * @param limit how many at most, from 1 to 500; {@code null} for 50
     */
    @ReadOperation
    public Calls calls(
            @Nullable String method,
            @Nullable String error,
            @Nullable String lane,
            @Nullable String text,
            @Nullable String from,
            @Nullable String before,
            @Nullable String limit,
            @Nullable String cursor) {
        return list(
                LetterRequest.ofList(null, method, error, lane, text, from, before, limit, cursor),
                null,
                showValues.isShown(true));
    }

    WaitingCalls all() {
        return calls.get();
    }

    boolean areValuesShown(SecurityContext securityContext, Set<String> roles) {
        return showValues.isShown(securityContext, roles);
    }

    Calls list(LetterRequest request, @Nullable SettingsChanges changes, boolean withValues) {
        CallLedger.Filter filter = request.only(LetterRequest.CALLS).calls();
        CallLedger ledger = calls.get().ledger();
        CallLedger.Page page = ledger.list(filter, request.text(LetterRequest.CURSOR), request.limit());
        return new Calls(
                ledger.count(filter),
                ledger.groups(filter, GROUPS).stream().map(Group::of).toList(),
                page.calls().stream().map(Item::of).toList(),
                page.next(),
                calls.get().lanes(),
                calls.get()
                        .task()
                        .map(task -> BulkChanges.Description.of(task, withValues))
                        .orElse(null),
                changes == null ? null : paused(changes),
                changes == null ? null : changes.scopes());
    }

    static List<SettingsChanges.Change> paused(SettingsChanges changes) {
        return changes.all().stream()
                .filter(change -> change.settings().containsKey(DurableGroup.PAUSED.attribute()))
                // Only users of the endpoint retryon may read the other settings of a change.
                .map(change -> new SettingsChanges.Change(
                        change.path(),
                        Map.of(
                                DurableGroup.PAUSED.attribute(),
                                change.settings().getOrDefault(DurableGroup.PAUSED.attribute(), "")),
                        change.since(),
                        change.by(),
                        change.until(),
                        change.scope()))
                .toList();
    }

    @ReadOperation
    public @Nullable Call call(@Selector String id) {
        return call(id, showValues.isShown(true));
    }

    @Nullable Call call(String id, boolean withValues) {
        return calls.get().find(id).map(call -> Call.of(call, withValues)).orElse(null);
    }

    private static String name(@Nullable String name) {
        return name == null ? UNKNOWN : name;
    }

    private static String standing(CallLedger.Entry entry) {
        return entry.running() ? "running" : "waiting";
    }

    /**
     * A page of calls.
     *
     * @param groups those that match by method and error, the largest first, 100 at most
     * @param paused the changes of operators that pause calls, the weakest first; {@code null} unless it is read over the web
     * @param scopes what may be paused: {@code node}, and {@code all} if nodes share a database; {@code null} unless it is
     *     read over the web
     */
    public record Calls(
            long total,
            List<Group> groups,
            List<Item> items,
            @Nullable String next,
            List<WaitingCalls.Lane> lanes,
            BulkChanges.@Nullable Description task,
            @Nullable List<SettingsChanges.Change> paused,
            @Nullable List<String> scopes)
            implements OperationResponseBody {}

    /**
     * Calls of one method and one error.
     *
     * @param error the class of the last error; {@code null} if no attempt has failed, or for returned values
     * @param oldest the time of the first of their first attempts, if that is known
     */
    public record Group(
            String method,
            @Nullable String error,
            long count,
            @Nullable Instant oldest,
            Instant nextDue) {

        static Group of(CallLedger.Group group) {
            return new Group(name(group.name()), group.errorType(), group.count(), group.oldest(), group.nextDue());
        }
    }

    /**
     * A call in a list.
     *
     * @param startedAt when the first attempt ran, or the call was stored before it; {@code null} if that is not known
     */
    public record Item(
            String id,
            String method,
            @Nullable String error,
            String lane,
            int attempts,
            @Nullable Instant startedAt,
            Instant due,
            String status) {

        static Item of(CallLedger.Entry entry) {
            return new Item(
                    entry.id(),
                    name(entry.name()),
                    entry.errorType(),
                    entry.lane(),
                    entry.attempt(),
                    entry.startedAt(),
                    entry.due(),
                    standing(entry));
        }
    }

    /**
     * A call.
     *
     * @param id its id, that of its attempts and of a dead letter that it becomes
     * @param startedAt when the first attempt ran, or the call was stored before it; {@code null} if that is not known
     * @param runningSince when the running attempt began; {@code null} if this process runs none
     * @param attemptTimeout the limit of an attempt; {@code null} if there is none, or if this process can't run the call
     */
    public record Call(
            String id,
            String method,
            @Nullable String signature,
            @Nullable String bean,
            @Nullable Object arguments,
            @Nullable String error,
            String lane,
            int attempts,
            List<DeadLetterDescription.Failure> failures,
            @Nullable Instant startedAt,
            Instant due,
            String status,
            @Nullable Instant runningSince,
            @Nullable String attemptTimeout,
            @Nullable String traceId,
            @Nullable String problem)
            implements OperationResponseBody {

        static Call of(WaitingCalls.Detail detail, boolean withValues) {
            CallLedger.Entry entry = detail.entry();
            return new Call(
                    entry.id(),
                    name(entry.name()),
                    detail.method(),
                    detail.bean(),
                    withValues
                            ? DeadLetterDescription.parsed(detail.arguments())
                            : DeadLetterDescription.shown(detail.arguments(), false),
                    entry.errorType(),
                    entry.lane(),
                    entry.attempt(),
                    detail.failures().stream()
                            .map(failure -> DeadLetterDescription.Failure.of(failure, withValues))
                            .toList(),
                    entry.startedAt(),
                    entry.due(),
                    standing(entry),
                    detail.runningSince(),
                    detail.attemptTimeout() == null ? null : DurationText.print(detail.attemptTimeout()),
                    detail.traceId(),
                    DeadLetterDescription.shown(detail.problem(), withValues));
        }
    }
}
