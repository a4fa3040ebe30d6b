// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.DeadLetters;
import java.time.Instant;
import java.util.List;
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
 * Calls that have failed permanently: {@code /actuator/deadletters} and {@code /actuator/deadletters/{id}}. Arguments, messages and
 * stack traces may contain secrets, so they are shown only if the application is configured to; redacted arguments never.
 */
@Endpoint(id = "deadletters", defaultAccess = Access.READ_ONLY)
public class DeadLettersEndpoint {

    private static final int GROUPS = 100;

    private final Supplier<DeadLetters> letters;

    private final Show showValues;

    public DeadLettersEndpoint(Supplier<DeadLetters> letters, Show showValues) {
        this.letters = letters;
        this.showValues = showValues;
    }

    /**
     * Lists dead letters, those that died last first.
     *
     * @param status statuses, separated by commas, or {@code all}; {@code null} for those that are dead
     * @param limit how many at most, from 1 to 500; {@code null} for 50
     */
    @ReadOperation
    public Letters letters(
            @Nullable String status,
            @Nullable String method,
            @Nullable String error,
            @Nullable String text,
            @Nullable String from,
            @Nullable String before,
            @Nullable String limit,
            @Nullable String cursor) {
        return list(
                LetterRequest.ofList(status, method, error, null, text, from, before, limit, cursor),
                showValues.isShown(true));
    }

    DeadLetters all() {
        return letters.get();
    }

    boolean areValuesShown(SecurityContext securityContext, Set<String> roles) {
        return showValues.isShown(securityContext, roles);
    }

    Letters list(LetterRequest request, boolean withValues) {
        DeadLetterFilter filter = request.only(LetterRequest.LIST).filter(withValues);
        DeadLetters all = letters.get();
        DeadLetters.Page page = all.list(filter, request.text(LetterRequest.CURSOR), request.limit());
        long total = all.count(filter);
        return new Letters(
                total,
                all.groups(filter, GROUPS).stream().map(Group::of).toList(),
                page.letters().stream()
                        .map(letter -> Item.of(letter, withValues))
                        .toList(),
                page.next(),
                all.task()
                        .map(task -> BulkChanges.Description.of(task, withValues))
                        .orElse(null),
                total == 0 ? hint(filter) : null);
    }

    /** Suggests names if no dead letter has the name of the filter. */
    private @Nullable String hint(DeadLetterFilter filter) {
        DeadLetterFilter wider = new DeadLetterFilter(filter.statuses(), null, null, null, null, null);
        List<DeadLetters.Group> known = letters.get().groups(wider, GROUPS);
        String method = filter.name() == null ? null : hint("method", filter.name(), known, DeadLetters.Group::name);
        return method != null || filter.errorType() == null
                ? method
                : hint("error", filter.errorType(), known, DeadLetters.Group::errorType);
    }

    private static @Nullable String hint(
            String parameter,
            String wrong,
            List<DeadLetters.Group> known,
            Function<DeadLetters.Group, @Nullable String> value) {
        List<String> values =
                known.stream().map(value).filter(Objects::nonNull).distinct().toList();
        if (values.contains(wrong)) {
            return null;
        }
        String none = "no dead letter has " + parameter + " '" + wrong + "'";
        return values.stream()
                .filter(name -> name.endsWith("." + wrong))
                .findFirst()
                .map(name -> none + "; did you mean '" + name + "'?")
                .orElse(none);
    }

    @ReadOperation
    public @Nullable DeadLetterDescription letter(@Selector String id) {
        return letter(id, showValues.isShown(true));
    }

    @Nullable DeadLetterDescription letter(String id, boolean withValues) {
        return letters.get()
                .find(id)
                .map(letter -> DeadLetterDescription.of(letter, withValues))
                .orElse(null);
    }

    /**
     * A page of dead letters.
     *
     * @param groups those that match by method and error, the most frequent first, 100 at most
     * @param task the task that was started last in this process, or {@code null}
     * @param hint a suggestion if no dead letter has the requested method or error; else {@code null}
     */
    public record Letters(
            long total,
            List<Group> groups,
            List<Item> items,
            @Nullable String next,
            BulkChanges.@Nullable Description task,
            @Nullable String hint)
            implements OperationResponseBody {}

    /**
     * Dead letters of one method and one error.
     *
     * @param error the class of the error; {@code null} for returned values
     */
    public record Group(String method, @Nullable String error, long count, Instant oldest, Instant newest) {

        static Group of(DeadLetters.Group group) {
            return new Group(group.name(), group.errorType(), group.count(), group.oldest(), group.newest());
        }
    }

    /**
     * A dead letter in a list.
     *
     * @param error the class of the last error; {@code null} for a returned value
     * @param attempts the number of attempts since the call was last sent
     */
    public record Item(
            String id,
            String method,
            @Nullable String error,
            @Nullable String message,
            String reason,
            int attempts,
            Instant diedAt,
            String status) {

        static Item of(DeadLetterSummary letter, boolean withValues) {
            return new Item(
                    letter.id(),
                    letter.name(),
                    letter.errorType(),
                    DeadLetterDescription.shown(letter.errorMessage(), withValues),
                    LetterRequest.tag(letter.reason()),
                    letter.attempts(),
                    letter.diedAt(),
                    LetterRequest.tag(letter.status()));
        }
    }
}
