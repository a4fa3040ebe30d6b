// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Task.Action;
import dev.retryon.durable.internal.engine.Sections;
import dev.retryon.spring.module.EndpointRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** Reads requests to {@code /actuator/retryoncalls}. A message about a wrong value lists the allowed values. */
final class CallRequest {

    static final String ACTION = "action";

    static final String CANCEL = "cancel";

    static final String PAUSE = "pause";

    static final String RESUME = "resume";

    static final String DELAY = "delay";

    static final String IDS = "ids";

    static final String REASON = "reason";

    static final String METHOD = "method";

    static final String ERROR = "error";

    static final String LANE = "lane";

    static final String SCOPE = "scope";

    static final String NODE = "node";

    static final String FOR = "for";

    private static final String STATE = "state";

    private static final String TEXT = "text";

    private static final String FROM = "from";

    private static final String BEFORE = "before";

    private static final String LIMIT = "limit";

    static final String CURSOR = "cursor";

    private static final String MAX_PER_SECOND = "maxPerSecond";

    private static final String DRY_RUN = "dryRun";

    private static final String CONFIRM = "confirm";

    private static final Set<String> FILTER = Set.of(METHOD, ERROR, LANE, TEXT, FROM, BEFORE);

    private static final Set<String> LIST = with(FILTER, STATE, LIMIT, CURSOR);

    private static final Set<String> BULK = with(FILTER, ACTION, IDS, REASON, MAX_PER_SECOND, DRY_RUN, CONFIRM);

    private static final Set<State> OPEN = EnumSet.of(State.WAITING, State.RUNNING);

    private static final Set<State> UNDONE = EnumSet.of(State.WAITING, State.RUNNING, State.BLOCKED, State.DEAD);

    private static final int DEFAULT_LIMIT = 50;

    private static final int MAX_LIMIT = 500;

    private static final int MAX_IDS = 100;

    private final Map<String, @Nullable String> values;

    private CallRequest(Map<String, @Nullable String> values) {
        this.values = values;
    }

    static CallRequest of(EndpointRequest request) {
        return new CallRequest(request.texts());
    }

    /** Returns a request with the parameters of a list. Parameters that the request does not contain are {@code null}. */
    static CallRequest ofList(
            @Nullable String state,
            @Nullable String method,
            @Nullable String error,
            @Nullable String lane,
            @Nullable String text,
            @Nullable String from,
            @Nullable String before,
            @Nullable String limit,
            @Nullable String cursor) {
        Map<String, @Nullable String> values = new LinkedHashMap<>();
        values.put(STATE, state);
        values.put(METHOD, method);
        values.put(ERROR, error);
        values.put(LANE, lane);
        values.put(TEXT, text);
        values.put(FROM, from);
        values.put(BEFORE, before);
        values.put(LIMIT, limit);
        values.put(CURSOR, cursor);
        values.values().removeIf(Objects::isNull);
        return new CallRequest(values);
    }

    private static Set<String> with(Set<String> some, String... others) {
        Set<String> all = new TreeSet<>(some);
        all.addAll(Arrays.asList(others));
        return all;
    }

    static Set<String> pause(boolean isPause) {
        Set<String> keys = with(Set.of(ACTION, METHOD, LANE, SCOPE, NODE));
        if (isPause) {
            keys.add(FOR);
        }
        return keys;
    }

    static String tag(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Returns an action's name in requests and responses. */
    static String verb(Action action) {
        return tag(action).replace('_', '-');
    }

    CallRequest only(Set<String> known) {
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                throw new IllegalArgumentException("'" + key + "' is not a known parameter; use one of "
                        + String.join(", ", new TreeSet<>(known)));
            }
        }
        return this;
    }

    /** Rejects keys without a value, because a request that has lost its condition must not change all calls. */
    CallRequest complete() {
        for (String key : values.keySet()) {
            if (text(key) == null) {
                throw new IllegalArgumentException("'" + key + "' has no value; set a value or omit it");
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

    Action action() {
        return action(action(List.of()));
    }

    Action action(String verb) {
        return Arrays.stream(Action.values())
                .filter(each -> verb(each).equals(verb))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the action, which is one on calls or one of the others. */
    String action(List<String> others) {
        List<String> allowed = new ArrayList<>(
                Arrays.stream(Action.values()).map(CallRequest::verb).toList());
        allowed.addAll(others);
        String action = text(ACTION);
        if (action == null) {
            throw new IllegalArgumentException("action is missing; send JSON such as {\"action\": \"resend\"}");
        }
        if (!allowed.contains(action)) {
            throw new IllegalArgumentException(
                    "action is '" + action + "', but must be one of " + String.join(", ", allowed));
        }
        return action;
    }

    /**
     * Selects the calls of a list: those that might need attention, unless the request has states. Users who may not
     * see values do not search messages, because the search would reveal messages letter by letter.
     */
    StoredCalls.Filter list(boolean withValues) {
        only(LIST);
        String text = text(STATE);
        Set<State> states = EnumSet.noneOf(State.class);
        if (text == null) {
            states.addAll(UNDONE);
        } else if (text.equals("all")) {
            states.addAll(EnumSet.allOf(State.class));
        } else {
            for (String name : StringUtils.commaDelimitedListToStringArray(text)) {
                states.add(state(name.trim()));
            }
        }
        return filter(states, withValues);
    }

    private static State state(String name) {
        return Arrays.stream(State.values())
                .filter(state -> tag(state).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("state is '" + name
                        + "', but must be all, or one or more of "
                        + Arrays.stream(State.values()).map(CallRequest::tag).collect(Collectors.joining(", "))));
    }

    StoredCalls.Filter bulk(Action action, boolean withValues) {
        boolean isOpen = action == Action.RUN_NOW || action == Action.GIVE_UP;
        return only(BULK).filter(isOpen ? OPEN : Set.of(State.DEAD), withValues);
    }

    private StoredCalls.Filter filter(Set<State> states, boolean withValues) {
        if (text(TEXT) != null
                && !withValues
                && (states.isEmpty() || !states.stream().allMatch(Sections::isOpen))) {
            throw new IllegalArgumentException("'text' also searches error messages, which you are not allowed to see"
                    + " (management.endpoint.retryoncalls.show-values); use method, error, from or before"
                    + " instead");
        }
        return new StoredCalls.Filter(
                states, text(METHOD), text(ERROR), text(LANE), text(TEXT), time(FROM), time(BEFORE));
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
        return text == null ? Duration.ZERO : EndpointRequest.duration(DELAY, text);
    }

    List<String> ids() {
        List<String> ids = Arrays.stream(StringUtils.tokenizeToStringArray(text(IDS), ","))
                .distinct()
                .toList();
        if (ids.isEmpty() || ids.size() > MAX_IDS) {
            throw new IllegalArgumentException("'ids' has " + ids.size() + " entries, but must have 1 to " + MAX_IDS
                    + " entries, separated by commas; use a filter to select more");
        }
        return ids;
    }

    StoredCalls.Bulk bulk() {
        return new StoredCalls.Bulk(
                number(MAX_PER_SECOND, StoredCalls.Bulk.DEFAULT_PER_SECOND, StoredCalls.Bulk.MAX_PER_SECOND),
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
