/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.stored;

import java.io.Serializable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Modifier;
import java.security.Principal;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/** Types whose objects are no data, whatever a codec makes of them. */
final class UnfitTypes {

    private static final List<Map.Entry<Class<?>, String>> KINDS = List.of(
            Map.entry(BaseStream.class, "a stream can be read only once; use a list"),
            Map.entry(Iterator.class, "it can be read only once; use a list"),
            Map.entry(AutoCloseable.class, "it is bound to a resource of this process; use its content"),
            Map.entry(Principal.class, "it belongs to the request of a user; use the user's id"),
            Map.entry(Future.class, "it belongs to this process; use its value"),
            Map.entry(CompletionStage.class, "it belongs to this process; use its value"),
            Map.entry(Executor.class, "it belongs to this process; use the data that you need from it"),
            Map.entry(Thread.class, "it belongs to this process; use the data that you need from it"),
            Map.entry(ClassLoader.class, "it belongs to this process; use the data that you need from it"),
            Map.entry(Lock.class, "it belongs to this process; use the data that you need from it"),
            Map.entry(
                    AnnotatedElement.class,
                    "a stored text must not name classes; use a name that you map to the class"));

    private static final String LISTENER =
            "it belongs to a message listener; use the payload as the parameter, or pass it to a durable method of another bean";

    /** Of libraries that need not be there. */
    private static final Map<String, String> NAMED_KINDS = Map.ofEntries(
            Map.entry("jakarta.servlet.ServletRequest", "it ends with its request; use the data that you need from it"),
            Map.entry(
                    "jakarta.servlet.ServletResponse", "it ends with its request; use the data that you need from it"),
            Map.entry(
                    "jakarta.servlet.http.HttpSession",
                    "it belongs to this process; use the data that you need from it"),
            Map.entry(
                    "org.springframework.http.HttpMessage",
                    "it ends with its request; use the data that you need from it"),
            Map.entry(
                    "org.springframework.web.server.ServerWebExchange",
                    "it ends with its request; use the data that you need from it"),
            Map.entry(
                    "org.springframework.core.io.InputStreamSource",
                    "its source may not exist when the call runs; use its content or its location"),
            Map.entry(
                    "org.springframework.context.ApplicationContext",
                    "it belongs to this process; use the data that you need"),
            Map.entry("org.reactivestreams.Publisher", "it can't be stored; use its value"),
            Map.entry("kotlin.Function", "a function can't be stored as data; use the data that it works with"),
            Map.entry("org.springframework.kafka.support.Acknowledgment", LISTENER),
            Map.entry("org.apache.kafka.clients.consumer.ConsumerRecord", LISTENER),
            Map.entry("org.apache.kafka.clients.consumer.ConsumerRecords", LISTENER),
            Map.entry("org.springframework.amqp.core.Message", LISTENER),
            Map.entry("org.springframework.messaging.Message", LISTENER),
            Map.entry("org.springframework.messaging.MessageHeaders", LISTENER));

    static final String NUMBER =
            "the stored text does not name the class of a Number, so only Integer, BigDecimal and numbers that are too"
                    + " large for an int can be read back; declare the class that you store";

    static final String OBJECT =
            "the stored text does not name the class of a value, so only strings, Integer, BigDecimal, Boolean, lists and"
                    + " maps can be read back; declare the class that you store";

    private static final Set<Class<?>> UNTYPED = Set.of(Object.class, Serializable.class, Comparable.class);

    private UnfitTypes() {}

    /** Whether a type says nothing of the classes of its values. */
    static boolean isUntyped(Class<?> type) {
        return UNTYPED.contains(type);
    }

    /** Why objects of a type can't come back; {@code null} if nothing is known against it. */
    static @Nullable String reason(Class<?> type) {
        if (isUntyped(type)) {
            return "the stored text does not name the class of the argument; declare the class that you store";
        }
        for (Map.Entry<Class<?>, String> kind : KINDS) {
            if (kind.getKey().isAssignableFrom(type)) {
                return kind.getValue();
            }
        }
        for (Map.Entry<String, String> kind : NAMED_KINDS.entrySet()) {
            if (isKindOf(type, kind.getKey())) {
                return kind.getValue();
            }
        }
        return isFunctional(type) ? "a lambda can't be stored as data; use the data that it works with" : null;
    }

    private static boolean isKindOf(@Nullable Class<?> type, String kind) {
        return type != null
                && (type.getName().equals(kind)
                        || isKindOf(type.getSuperclass(), kind)
                        || Arrays.stream(type.getInterfaces()).anyMatch(each -> isKindOf(each, kind)));
    }

    private static boolean isFunctional(Class<?> type) {
        return type.isAnnotationPresent(FunctionalInterface.class) && Modifier.isInterface(type.getModifiers());
    }
}
