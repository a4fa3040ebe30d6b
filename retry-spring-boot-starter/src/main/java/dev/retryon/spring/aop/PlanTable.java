package dev.retryon.spring.aop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Plans by method and target class, both compared by identity: a proxy class hands in the same {@link Method} object at
 * every call, so neither a hash of names nor a comparison of parameter types is needed. Read without locks.
 */
final class PlanTable {

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Entry[].class);

    private static final int SMALLEST = 64;

    private volatile @Nullable Entry[] entries = new @Nullable Entry[SMALLEST];

    private int size;

    @SuppressWarnings("ReferenceEquality") // see above
    @Nullable RetryPlan find(Method method, Class<?> targetClass) {
        @Nullable Entry[] table = entries;
        for (int slot = slot(method, table); ; slot = next(slot, table)) {
            Entry entry = (Entry) SLOT.getAcquire(table, slot);
            if (entry == null) {
                return null;
            }
            if (entry.method == method && entry.targetClass == targetClass) {
                return entry.plan;
            }
        }
    }

    /** Adds a plan, or a second one for the same method if two threads are at it: both serve. */
    synchronized void add(Method method, Class<?> targetClass, RetryPlan plan) {
        if (++size > entries.length / 2) {
            @Nullable Entry[] larger = new @Nullable Entry[entries.length * 2];
            for (Entry entry : entries) {
                if (entry != null) {
                    put(entry, larger);
                }
            }
            entries = larger;
        }
        put(new Entry(method, targetClass, plan), entries);
    }

    private static void put(Entry entry, @Nullable Entry[] table) {
        int slot = slot(entry.method, table);
        while (table[slot] != null) {
            slot = next(slot, table);
        }
        SLOT.setRelease(table, slot, entry);
    }

    private static int slot(Method method, @Nullable Entry[] table) {
        return System.identityHashCode(method) & (table.length - 1);
    }

    private static int next(int slot, @Nullable Entry[] table) {
        return (slot + 1) & (table.length - 1);
    }

    private static final class Entry {

        final Method method;

        final Class<?> targetClass;

        final RetryPlan plan;

        Entry(Method method, Class<?> targetClass, RetryPlan plan) {
            this.method = method;
            this.targetClass = targetClass;
            this.plan = plan;
        }
    }
}
