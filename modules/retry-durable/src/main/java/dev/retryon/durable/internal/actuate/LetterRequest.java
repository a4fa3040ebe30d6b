// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.spring.internal.actuate.EndpointRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * Reads requests to {@code /actuator/deadletters} and {@code /actuator/durablecalls}. If a value is wrong, it throws an {@link
 * IllegalArgumentException} whose message says what is allowed.
 */
final class LetterRequest {

    static final String ACTION = "action";

    static final String CURSOR = "cursor";

    static final String DELAY = "delay";

    static final String IDS = "ids";

    static final String REASON = "reason";

    static final String LANE = "lane";

    static final String METHOD = "method";

    private static final String TEXT = "text";

    private static final String LIMIT = "limit";

    private static final String STATUS = "status";

    private static final String MAX_PER_SECOND = "maxPerSecond";

    private static final String DRY_RUN = "dryRun";

    private static final String CONFIRM = "confirm";

    private static final Set<String> FILTER = Set.of(METHOD, "error", TEXT, "from", "before");

    static final Set<String> LIST = with(FILTER, STATUS, LIMIT, CURSOR);

    static final Set<String> CALLS = with(FILTER, LANE, LIMIT, CURSOR);

    static final String SCOPE = "scope";

    static final String FOR = "for";

    static final Set<String> BULK = with(FILTER, ACTION, IDS, REASON, MAX_PER_SECOND, DRY_RUN, CONFIRM);

    static final Set<String> CALLS_BULK = with(BULK, LANE);

    private static final Duration LONGEST_DELAY = Duration.ofDays(365);

    private static final int DEFAULT_LIMIT = 50;

    private static final int MAX_LIMIT = 500;

    private static final int MAX_IDS = 100;

    private final Map<String, @Nullable String> values;

    private LetterRequest(Map<String, @Nullable String> values) {
        this.values = values;
    }

    static LetterRequest of(EndpointRequest request) {
        return new LetterRequest(request.texts());
    }

    /** The parameters of a list; those that are {@code null} were not given. */
    static LetterRequest ofList(
            @Nullable String status,
            @Nullable String method,
            @Nullable String error,
            @Nullable String lane,
            @Nullable String text,
            @Nullable String from,
            @Nullable String before,
            @Nullable String limit,
            @Nullable String cursor) {
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        values.put(STATUS, status);
        values.put(METHOD, method);
        values.put("error", error);
        values.put(LANE, lane);
        values.put(TEXT, text);
        values.put("from", from);
        values.put("before", before);
        values.put(LIMIT, limit);
        values.put(CURSOR, cursor);
        values.values().removeIf(Objects::isNull);
        return new LetterRequest(values);
    }

    private static Set<String> with(Set<String> some, String... others) {
        Set<String> all = new TreeSet<>(some);
        all.addAll(Arrays.asList(others));
        return all;
    }

    static Set<String> pause(boolean isPause) {
        Set<String> keys = with(Set.of(ACTION, METHOD, LANE, SCOPE));
        if (isPause) {
            keys.add(FOR);
        }
        return keys;
    }

    static String tag(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    LetterRequest only(Set<String> known) {
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException(
                        "'" + key + "' is not known here; use one of " + new TreeSet<>(known));
            }
        }
        return this;
    }

    /** Refuses keys without a value: a condition that was lost on the way must not change all. */
    LetterRequest complete() {
        for (String key : values.keySet()) {
            if (text(key) == null) {
                throw new IllegalArgumentException("'" + key + "' has no value; leave it out");
            }
        }
        return this;
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    @Nullable String text(String key) {
        String text = values.get(key);
        // Trimming removes control characters, which are not blank.
        String trimmed = text == null ? "" : text.trim();
        return trimmed.isBlank() ? null : trimmed;
    }

    String action(String... allowed) {
        String action = text(ACTION);
        if (action == null) {
            throw new IllegalArgumentException(
                    "action is missing; send JSON such as {\"action\": \"" + allowed[0] + "\"}");
        }
        if (!Arrays.asList(allowed).contains(action)) {
            throw new IllegalArgumentException(
                    "action is '" + action + "', but must be one of " + String.join(", ", allowed));
        }
        return action;
    }

    /**
     * Selects dead letters: those with the status dead unless the request has another status.
     *
     * @param withValues whether the user may see messages. If not, a search in messages would reveal them, letter by letter
     */
    DeadLetterFilter filter(boolean withValues) {
        if (text(TEXT) != null && !withValues) {
            throw new IllegalArgumentException("'text' also searches error messages, which you may not see"
                    + " (management.endpoint.deadletters.show-values); use method, error, from or before"
                    + " instead");
        }
        return new DeadLetterFilter(statuses(), text(METHOD), text("error"), text(TEXT), time("from"), time("before"));
    }

    CallLedger.Filter calls() {
        return new CallLedger.Filter(text(METHOD), text("error"), text(LANE), text(TEXT), time("from"), time("before"));
    }

    private Set<DeadLetterStatus> statuses() {
        String text = text(STATUS);
        if (text == null) {
            return Set.of(DeadLetterStatus.DEAD);
        }
        if (text.equals("all")) {
            return Set.of();
        }
        Set<DeadLetterStatus> statuses = EnumSet.noneOf(DeadLetterStatus.class);
        for (String name : StringUtils.commaDelimitedListToStringArray(text)) {
            statuses.add(status(name.trim()));
        }
        return statuses;
    }

    private static DeadLetterStatus status(String name) {
        List<DeadLetterStatus> all = Arrays.asList(DeadLetterStatus.values());
        return all.stream()
                .filter(status -> tag(status).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("status is '" + name + "', but must be all, or one or"
                        + " more of "
                        + String.join(", ", all.stream().map(LetterRequest::tag).toList())));
    }

    private @Nullable Instant time(String key) {
        String text = text(key);
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException ex) {
            throw new IllegalArgumentException(
                    key + " is '" + text + "', but must be a time such as 2026-01-31T12:00:00Z", ex);
        }
    }

    int limit() {
        return number(LIMIT, DEFAULT_LIMIT, MAX_LIMIT);
    }

    private int number(String key, int otherwise, int most) {
        String text = text(key);
        if (text == null) {
            return otherwise;
        }
        int number;
        try {
            number = Integer.parseInt(text);
        } catch (NumberFormatException ex) {
            number = 0;
        }
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(
                    key + " is '" + text + "', but must be a whole number from 1 to " + most);
        }
        return number;
    }

    Duration delay() {
        String text = values.get(DELAY);
        if (text == null) {
            return Duration.ZERO;
        }
        Duration delay = EndpointRequest.duration(DELAY, text);
        if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "delay is '" + text + "', but must be from 0s to " + LONGEST_DELAY.toDays() + "d");
        }
        return delay;
    }

    List<String> ids() {
        List<String> ids = Arrays.stream(StringUtils.tokenizeToStringArray(text(IDS), ","))
                .distinct()
                .toList();
        if (ids.isEmpty() || ids.size() > MAX_IDS) {
            throw new IllegalArgumentException("ids has " + ids.size() + " entries, but must have from 1 to " + MAX_IDS
                    + ", separated by commas; use a filter to select more");
        }
        return ids;
    }

    DeadLetters.Bulk bulk() {
        return new DeadLetters.Bulk(
                number(MAX_PER_SECOND, DeadLetters.Bulk.DEFAULT_PER_SECOND, DeadLetters.Bulk.MAX_PER_SECOND),
                flag(DRY_RUN),
                flag(CONFIRM));
    }

    private boolean flag(String key) {
        String text = text(key);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(key + " is '" + text + "', but must be true or false");
        }
        return "true".equals(text);
    }
}
