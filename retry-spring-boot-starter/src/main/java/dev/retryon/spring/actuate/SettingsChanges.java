/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.spring.method.RuntimeChange;
import dev.retryon.spring.method.RuntimeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.convert.DurationStyle;

/**
 * Changes settings as {@code /actuator/retryon} requests, and describes in words what is wrong with a request.
 *
 * @since 0.1.0
 */
public final class SettingsChanges {

    private static final String FOR = "for";

    private static final Map<String, RuntimeChange.Scope> SCOPES =
            Map.of("policies", RuntimeChange.Scope.POLICY, "budgets", RuntimeChange.Scope.BUDGET);

    private final RuntimeSettings settings;

    SettingsChanges(RuntimeSettings settings) {
        this.settings = settings;
    }

    /** The changes that hold, the weakest first. */
    List<Change> all() {
        return settings.changes().stream().map(Change::of).toList();
    }

    WebEndpointResponse<Object> change(
            @Nullable String scope, String name, EndpointRequest request, @Nullable String by) {
        try {
            Map<String, @Nullable String> values = request.texts();
            String lasting = values.remove(FOR);
            if (values.isEmpty()) {
                throw new IllegalArgumentException(
                        "nothing is to be changed; send JSON such as {\"maxAttempts\": 1, \"for\":"
                                + " \"30m\"}, or DELETE to take back what was changed");
            }
            RuntimeChange now = settings.change(scope(scope, name), name, values, duration(lasting), by);
            return now == null
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT)
                    : new WebEndpointResponse<>(Change.of(now));
        } catch (IllegalArgumentException ex) {
            return Refused.because(ex);
        }
    }

    WebEndpointResponse<Object> takeBack(@Nullable String scope, String name, @Nullable String by) {
        try {
            return settings.takeBack(scope(scope, name), name, by)
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT)
                    : Refused.because(WebEndpointResponse.STATUS_NOT_FOUND, "nothing was changed here");
        } catch (IllegalArgumentException ex) {
            return Refused.because(ex);
        }
    }

    private static RuntimeChange.Scope scope(@Nullable String text, String name) {
        if (text == null) {
            return name.isEmpty() ? RuntimeChange.Scope.ALL : RuntimeChange.Scope.NAME;
        }
        RuntimeChange.Scope scope = SCOPES.get(text);
        if (scope == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not known; changed can be a name, policies/<name> and" + " budgets/<name>");
        }
        return scope;
    }

    private static @Nullable Duration duration(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(text.trim());
        } catch (IllegalArgumentException | ArithmeticException ex) {
            throw new IllegalArgumentException(
                    "for is '" + text + "', but must be a duration such as 30m, 2h or PT30M", ex);
        }
    }

    /**
     * What an operator has changed.
     *
     * @param path where it was changed and can be taken back, below {@code /actuator/retryon}; empty for everything
     * @param settings the changed settings by attribute, as they are written
     * @param since when
     * @param by who did it; {@code null} if that is not known
     * @param until when it ends by itself; {@code null} if it does not
     */
    public record Change(
            String path,
            Map<String, String> settings,
            Instant since,
            @Nullable String by,
            @Nullable Instant until) implements OperationResponseBody {

        static Change of(RuntimeChange change) {
            return new Change(change.path(), change.settings().texts(), change.since(), change.by(), change.until());
        }
    }
}
