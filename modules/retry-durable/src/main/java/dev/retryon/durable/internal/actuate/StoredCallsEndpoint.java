// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.module.SettingsChanges;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
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
 * The stored calls of all processes that share the store, in all states. Arguments, messages and stack traces can
 * contain secrets, so they are shown only if the application allows it. Redacted arguments are never shown.
 */
@Endpoint(id = "retryoncalls", defaultAccess = Access.READ_ONLY)
public class StoredCallsEndpoint {

    /** The maximum number of groups in a list, which contains the largest ones. */
    static final int GROUPS = 100;

    private final Supplier<StoredCalls> calls;

    private final Supplier<DurableCalls> durable;

    private final Show showValues;

    public StoredCallsEndpoint(Supplier<StoredCalls> calls, Supplier<DurableCalls> durable, Show showValues) {
        this.calls = calls;
        this.durable = durable;
        this.showValues = showValues;
    }

    /**
     * Lists calls: dead calls, the latest first; then running and waiting calls, in the order in which they become due; then
     * blocked, resolved and discarded calls.
     *
     * @param state states, separated by commas, or {@code all}; {@code null} for all but resolved and discarded calls
     * @param from the earliest time at which calls died; waiting calls are compared by their first attempt
     * @param limit the maximum number of calls, from 1 to 500; {@code null} for 50
     */
    @ReadOperation
    public Calls calls(
            @Nullable String state,
            @Nullable String method,
            @Nullable String error,
            @Nullable String lane,
            @Nullable String text,
            @Nullable String from,
            @Nullable String before,
            @Nullable String limit,
            @Nullable String cursor) {
        return list(
                CallRequest.ofList(state, method, error, lane, text, from, before, limit, cursor),
                null,
                showValues.isShown(true));
    }

    StoredCalls all() {
        return calls.get();
    }

    boolean areValuesShown(SecurityContext securityContext, Set<String> roles) {
        return showValues.isShown(securityContext, roles);
    }

    /** Lists calls. The changes of settings include those that pause calls; {@code null} if they are not shown. */
    Calls list(CallRequest request, @Nullable SettingsChanges changes, boolean withValues) {
        StoredCalls.Filter filter = request.list(withValues);
        StoredCalls all = all();
        StoredCalls.Page page = all.list(filter, request.text(CallRequest.CURSOR), request.limit());
        Map<String, String> arguments = withValues && !page.calls().isEmpty()
                ? durable.get()
                        .argumentLines(page.calls().stream()
                                .map(StoredCalls.Summary::id)
                                .toList())
                : Map.of();
        List<StoredCalls.Group> groups = all.groups(filter, GROUPS);
        long total = all.count(filter);
        boolean withLanes = filter.states().contains(State.WAITING)
                || filter.states().contains(State.RUNNING)
                || filter.states().isEmpty();
        return new Calls(
                total,
                groups.stream().map(Group::of).toList(),
                page.calls().stream()
                        .map(call -> Item.of(call, arguments.get(call.id()), withValues))
                        .toList(),
                page.next(),
                withLanes ? durable.get().lanes() : null,
                withLanes ? durable.get().nodes() : null,
                blocked(filter),
                all.task().map(task -> TaskDescription.of(task, withValues)).orElse(null),
                changes == null || !withLanes ? null : paused(changes),
                changes == null || !withLanes ? null : changes.scopes(),
                total == 0 ? hint(filter) : null);
    }

    static List<SettingsChanges.Change> paused(SettingsChanges changes) {
        return changes.all().stream()
                .filter(change -> change.settings().containsKey(DurableGroup.PAUSED.attribute()))
                // Only users of the endpoint 'retryon' may read the other settings of a change.
                .map(change -> new SettingsChanges.Change(
                        change.path(),
                        Map.of(
                                DurableGroup.PAUSED.attribute(),
                                change.settings().getOrDefault(DurableGroup.PAUSED.attribute(), "")),
                        change.since(),
                        change.by(),
                        change.until(),
                        change.scope(),
                        change.node()))
                .toList();
    }

    private CallStore.@Nullable Blocked blocked(StoredCalls.Filter filter) {
        if (!filter.states().isEmpty() && !filter.states().contains(State.BLOCKED)) {
            return null;
        }
        CallStore.Blocked blocked = durable.get().store().blocked();
        return blocked.calls() == 0 ? null : blocked;
    }

    /** Suggests names if no call in these states has the method or the error of the request. */
    private @Nullable String hint(StoredCalls.Filter filter) {
        if (filter.name() == null && filter.errorType() == null) {
            return null;
        }
        StoredCalls.Filter wider = new StoredCalls.Filter(filter.states(), null, null, null, null, null, null);
        List<StoredCalls.Group> known = all().groups(wider, GROUPS);
        String method =
                filter.name() == null ? null : hint(CallRequest.METHOD, filter.name(), known, StoredCalls.Group::name);
        return method != null || filter.errorType() == null
                ? method
                : hint(CallRequest.ERROR, filter.errorType(), known, StoredCalls.Group::errorType);
    }

    private static @Nullable String hint(
            String parameter,
            String wrong,
            List<StoredCalls.Group> known,
            Function<StoredCalls.Group, @Nullable String> value) {
        List<String> values =
                known.stream().map(value).filter(Objects::nonNull).distinct().toList();
        if (values.contains(wrong)) {
            return null;
        }
        String none = "no listed call has " + parameter + " '" + wrong + "'";
        return values.stream()
                .filter(name -> name.endsWith("." + wrong))
                .findFirst()
                .map(name -> none + "; did you mean '" + name + "'?")
                .orElse(none);
    }

    @ReadOperation
    public @Nullable CallDescription call(@Selector String id) {
        return call(id, showValues.isShown(true));
    }

    @Nullable CallDescription call(String id, boolean withValues) {
        return all().find(id).map(call -> CallDescription.of(call, withValues)).orElse(null);
    }

    /**
     * A page of calls.
     *
     * @param groups the matching calls by method, error and state, the largest group first, at most 100 groups
     * @param lanes the lanes of this process; {@code null} if neither waiting nor running calls are listed
     * @param nodes the processes of this application, including those that ended unexpectedly within the last day;
     *     {@code null} if neither waiting nor running calls are listed, or if calls are in memory
     * @param blocked all calls that wait for another call with their order key; {@code null} if no call does, or if blocked
     *     calls are not listed
     * @param task the task that was started last in any process, or {@code null}
     * @param scopes the processes that a change can apply to, or {@code null}
     * @param hint a suggestion if no call has the requested method or error; or {@code null}
     */
    public record Calls(
            long total,
            List<Group> groups,
            List<Item> items,
            @Nullable String next,
            @Nullable List<DurableCalls.Lane> lanes,
            @Nullable List<DurableCalls.Node> nodes,
            CallStore.@Nullable Blocked blocked,
            @Nullable TaskDescription task,
            @Nullable List<SettingsChanges.Change> paused,
            @Nullable List<String> scopes,
            @Nullable String hint)
            implements OperationResponseBody {}

    public record Group(
            String method,
            @Nullable String error,
            String state,
            long count,
            @Nullable Instant oldest,
            @Nullable Instant newest,
            @Nullable Instant nextDue) {

        static Group of(StoredCalls.Group group) {
            return new Group(
                    group.name(),
                    group.errorType(),
                    CallRequest.tag(group.state()),
                    group.count(),
                    group.oldest(),
                    group.newest(),
                    group.nextDue());
        }
    }

    /**
     * A {@link StoredCalls.Summary} in a response.
     *
     * @param arguments the first 200 characters of the arguments; {@code null} and not read if values are not shown
     */
    public record Item(
            String id,
            String method,
            @Nullable String arguments,
            @Nullable String error,
            @Nullable String message,
            String state,
            @Nullable String reason,
            @Nullable String lane,
            int attempts,
            @Nullable Instant startedAt,
            @Nullable Instant due,
            @Nullable Instant diedAt) {

        static Item of(StoredCalls.Summary call, @Nullable String arguments, boolean withValues) {
            return new Item(
                    call.id(),
                    call.name(),
                    arguments,
                    call.errorType(),
                    CallDescription.shown(call.errorMessage(), withValues),
                    CallRequest.tag(call.state()),
                    call.reason() == null ? null : CallRequest.tag(call.reason()),
                    call.lane(),
                    call.attempts(),
                    call.startedAt(),
                    call.due(),
                    call.diedAt());
        }
    }

    /**
     * A task that changes many calls; its id is {@code null} for a dry run.
     *
     * @param before the task changes only calls that died or started before this time; send it again after a dry run
     * @param failure the error that has ended the task, without its message unless values are shown; or {@code null}
     */
    public record TaskDescription(
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

        static TaskDescription of(StoredCalls.Task task, boolean withValues) {
            return new TaskDescription(
                    task.state() == StoredCalls.Task.State.DRY_RUN ? null : task.id(),
                    CallRequest.verb(task.action()),
                    CallRequest.tag(task.state()),
                    task.matched(),
                    task.moved(),
                    task.skipped(),
                    task.startedAt(),
                    task.before(),
                    withValues ? task.failure() : type(task.failure()));
        }

        /** Returns the class of an error without its message, which can contain a statement and its values. */
        private static @Nullable String type(@Nullable String failure) {
            return failure == null ? null : failure.split(":", 2)[0];
        }
    }
}
