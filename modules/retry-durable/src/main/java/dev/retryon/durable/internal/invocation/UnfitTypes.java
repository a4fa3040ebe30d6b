// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import java.io.Serializable;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Types whose objects are not data, whatever form Jackson uses for them. */
final class UnfitTypes {

    /** Why objects of some types cannot be stored. The types are names, because they need not be on the class path. */
    private static final List<Map.Entry<String, List<String>>> KINDS = List.of(
            Map.entry("a stream can be read only once; use a list", List.of("java.util.stream.BaseStream")),
            Map.entry("it can be read only once; use a list", List.of("java.util.Iterator")),
            Map.entry("it is bound to a resource of this process; use its content", List.of("java.lang.AutoCloseable")),
            Map.entry("it belongs to a user's request; use the user's id", List.of("java.security.Principal")),
            Map.entry(
                    "it belongs to this process; use its value",
                    List.of("java.util.concurrent.Future", "java.util.concurrent.CompletionStage")),
            Map.entry(
                    "it belongs to this process; use the data that you need from it",
                    List.of(
                            "java.util.concurrent.Executor",
                            "java.lang.Thread",
                            "java.lang.ClassLoader",
                            "java.util.concurrent.locks.Lock",
                            "jakarta.servlet.http.HttpSession",
                            "org.springframework.context.ApplicationContext")),
            Map.entry(
                    "stored JSON must not name classes; use a name that you map to the class",
                    List.of("java.lang.reflect.AnnotatedElement")),
            Map.entry(
                    "it ends with its request; use the data that you need from it",
                    List.of(
                            "jakarta.servlet.ServletRequest",
                            "jakarta.servlet.ServletResponse",
                            "org.springframework.http.HttpMessage",
                            "org.springframework.web.server.ServerWebExchange")),
            Map.entry(
                    "its source might no longer exist when the call runs; use its content or its location",
                    List.of("org.springframework.core.io.InputStreamSource")),
            Map.entry("it cannot be stored; use its value", List.of("org.reactivestreams.Publisher")),
            Map.entry(
                    "a function cannot be stored as data; use the data that it works with", List.of("kotlin.Function")),
            Map.entry(
                    "it belongs to a message listener; use the payload as the parameter, or pass it to a durable method of"
                            + " another bean",
                    List.of(
                            "org.springframework.kafka.support.Acknowledgment",
                            "org.apache.kafka.clients.consumer.ConsumerRecord",
                            "org.apache.kafka.clients.consumer.ConsumerRecords",
                            "org.springframework.amqp.core.Message",
                            "org.springframework.messaging.Message",
                            "org.springframework.messaging.MessageHeaders")));

    static final String NUMBER =
            "the stored JSON does not name the class of a Number, so only Integer, BigDecimal and numbers that are too"
                    + " large for an int can be read back; declare the class that you store";

    static final String OBJECT =
            "the stored JSON does not name the class of a value, so only strings, Integer, BigDecimal, Boolean, lists"
                    + " and maps can be read back; declare the class that you store";

    private static final Set<Class<?>> UNTYPED = Set.of(Object.class, Serializable.class, Comparable.class);

    private UnfitTypes() {}

    /** Returns whether a type does not restrict its values' classes. */
    static boolean isUntyped(Class<?> type) {
        return UNTYPED.contains(type);
    }

    /** Returns the reason why objects of a type cannot be read back, or {@code null} if no reason is known. */
    static @Nullable String reason(Class<?> type) {
        if (isUntyped(type)) {
            return "the stored JSON does not name the class of the argument; declare the class that you store";
        }
        for (Map.Entry<String, List<String>> kind : KINDS) {
            if (isOneOf(kind.getValue(), type)) {
                return kind.getKey();
            }
        }
        return isFunctional(type) ? "a lambda cannot be stored as data; use the data that it works with" : null;
    }

    private static boolean isOneOf(List<String> names, @Nullable Class<?> type) {
        return type != null
                && (names.contains(type.getName())
                        || isOneOf(names, type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(each -> isOneOf(names, each)));
    }

    private static boolean isFunctional(Class<?> type) {
        return type.isAnnotationPresent(FunctionalInterface.class) && Modifier.isInterface(type.getModifiers());
    }
}
