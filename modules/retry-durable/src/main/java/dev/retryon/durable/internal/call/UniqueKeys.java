// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.expression.RetryGate;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * The keys of calls of which only one is stored, and how many calls were not stored for that. A key is a hash, so that it has
 * any length and shows no argument. Thread-safe.
 */
final class UniqueKeys {

    private final RetryExpressions expressions;

    private final ExtensionErrors errors;

    private final Map<RetriedMethod, RetryGate> parsed = new ConcurrentHashMap<>();

    private final Map<String, LongAdder> duplicates = new ConcurrentHashMap<>();

    UniqueKeys(RetryExpressions expressions, ExtensionErrors errors) {
        this.expressions = expressions;
        this.errors = errors;
    }

    /** The key of a call; {@code null} if it is stored whatever else is. */
    @Nullable String of(RetriedMethod method, @Nullable Object target, @Nullable Object[] arguments) {
        String text = method.settings().get(DurableGroup.UNIQUE_KEY);
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            Object value = parsed.computeIfAbsent(method, missing -> parse(missing, text))
                    .valueOf(target, arguments);
            return value == null ? null : hash(method.key() + "\n" + ObjectUtils.nullSafeToString(value));
        } catch (Throwable ex) {
            String sentence = "the unique key '" + text + "' failed, so the call is stored whatever else is";
            errors.report(ExtensionErrorListener.Kind.GATE, method.name(), sentence, ex);
            return null;
        }
    }

    /** The setting can't change while the application runs. */
    private RetryGate parse(RetriedMethod method, String text) {
        return expressions.key(
                text, method.beanClass(), method.method(), method.settings().isShared(DurableGroup.UNIQUE_KEY));
    }

    private static String hash(String text) throws NoSuchAlgorithmException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    void countDuplicate(String name) {
        duplicates.computeIfAbsent(name, missing -> new LongAdder()).increment();
    }

    long duplicates(String name) {
        LongAdder count = duplicates.get(name);
        return count == null ? 0 : count.sum();
    }
}
