// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Walks over strong references: through the fields of our own classes, and through the JDK's collections and errors. */
final class Reachable {

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Deque<Object> next = new ArrayDeque<>();

    private Reachable() {}

    /** All objects that are reachable from an object, without itself. */
    static Set<Object> from(Object root) throws IllegalAccessException {
        Reachable walk = new Reachable();
        walk.add(root);
        while (!walk.next.isEmpty()) {
            walk.visit(walk.next.remove());
        }
        walk.seen.remove(root);
        return walk.seen;
    }

    private void add(@Nullable Object object) {
        if (object != null && seen.add(object)) {
            next.add(object);
        }
    }

    private void visit(Object object) throws IllegalAccessException {
        if (object instanceof Reference) {
            return;
        }
        if (object instanceof Throwable error) {
            add(error.getCause());
            for (Throwable suppressed : error.getSuppressed()) {
                add(suppressed);
            }
        } else if (object instanceof Iterable<?> items) {
            items.forEach(this::add);
        } else if (object instanceof Map<?, ?> map) {
            map.keySet().forEach(this::add);
            map.values().forEach(this::add);
        } else if (object instanceof Optional<?> optional) {
            optional.ifPresent(this::add);
        } else if (object instanceof Object[]) {
            for (int i = 0; i < Array.getLength(object); i++) {
                add(Array.get(object, i));
            }
        }
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().startsWith("dev.retryon.")) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        add(field.get(object));
                    }
                }
            }
        }
    }
}
