// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.invocation.MethodHash;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.Setting;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * The unique keys of calls, with the number of calls that were not stored because of them, and the order keys. A key is
 * stored as a hash, so it can have any length and reveals no argument. Thread-safe.
 */
final class CallKeys {

    private static final int HASH_BYTES = 32;

    private final ExtensionErrors errors;

    /** The expressions of methods that have a unique key or an order key. */
    private final Map<RetriedMethod, RetriedMethod.Expression> parsed = new ConcurrentHashMap<>();

    private final Map<String, LongAdder> duplicates = new ConcurrentHashMap<>();

    CallKeys(ExtensionErrors errors) {
        this.errors = errors;
    }

    static boolean isOrdered(RetriedMethod method) {
        return DurableGroup.orderKey(method) != null;
    }

    /**
     * Returns a call's order key, or {@code null} if its method has none.
     *
     * @throws IllegalArgumentException if the expression fails or has no value, because the call would have no place
     */
    @Nullable String order(RetriedMethod method, @Nullable Object target, @Nullable Object[] arguments) {
        String text = DurableGroup.orderKey(method);
        if (text == null) {
            return null;
        }
        String group = DurableGroup.orderGroup(method);
        try {
            Object value = value(method, DurableGroup.ORDER_KEY, target, arguments);
            if (value != null) {
                return hash(group == null ? "method " + method.key() : "group " + group, value);
            }
        } catch (Throwable ex) {
            throw notStored(method, text, "failed", ex);
        }
        throw notStored(method, text, "is null", null);
    }

    private static IllegalArgumentException notStored(
            RetriedMethod method, String text, String problem, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "a call of " + method.name() + " is not stored, because its orderKey '" + text + "' " + problem
                        + ", so it has no place in the order; pass arguments for which the expression has a value",
                cause);
    }

    /** Returns a call's unique key, or {@code null} if the call is stored without one. */
    @Nullable String unique(RetriedMethod method, @Nullable Object target, @Nullable Object[] arguments) {
        String text = method.settings().get(DurableGroup.UNIQUE_KEY);
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            Object value = value(method, DurableGroup.UNIQUE_KEY, target, arguments);
            return value == null ? null : hash(method.key().toString(), value);
        } catch (Throwable ex) {
            String sentence = "the unique key '" + text + "' failed, so the call is stored without a key";
            errors.report(ExtensionErrorListener.Kind.GATE, method.name(), sentence, ex);
            return null;
        }
    }

    /** Evaluates the expression of a setting that cannot change while the application runs. */
    private @Nullable Object value(
            RetriedMethod method, Setting<String> setting, @Nullable Object target, @Nullable Object[] arguments) {
        return parsed.computeIfAbsent(method, missing -> missing.expression(setting))
                .valueOf(target, arguments);
    }

    private static String hash(String owner, Object value) {
        return MethodHash.hash(owner + "\n" + text(value), HASH_BYTES);
    }

    /**
     * Returns the same text for equal values, in all processes. Lengths separate the elements, whatever their texts contain.
     *
     * @throws IllegalArgumentException if a value, or an element of it, has no own text
     */
    private static String text(@Nullable Object value) {
        if (value instanceof Object[] array) {
            return text(Arrays.asList(array));
        }
        if (value instanceof Set<?> set) {
            // Equal sets can differ in their order. The order of Set.of differs between processes.
            return text(set.stream().map(CallKeys::text).sorted().toList());
        }
        if (value instanceof Map<?, ?> map) {
            return text(map.entrySet().stream()
                    .map(entry -> text(Arrays.asList(entry.getKey(), entry.getValue())))
                    .collect(Collectors.toSet()));
        }
        if (value instanceof Collection<?> collection) {
            return collection.stream()
                    .map(CallKeys::text)
                    .map(text -> text.length() + ":" + text)
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Optional<?> optional && optional.isPresent()) {
            return "Optional[" + text(optional.get()) + "]";
        }
        String text = ObjectUtils.nullSafeToString(value);
        if (value != null && text.equals(value.getClass().getName() + "@" + Integer.toHexString(value.hashCode()))) {
            throw new IllegalArgumentException(
                    value.getClass() + " does not override toString; use one of its properties, or override toString");
        }
        return text;
    }

    void countDuplicate(String name) {
        duplicates.computeIfAbsent(name, missing -> new LongAdder()).increment();
    }

    long duplicates(String name) {
        LongAdder count = duplicates.get(name);
        return count == null ? 0 : count.sum();
    }
}
