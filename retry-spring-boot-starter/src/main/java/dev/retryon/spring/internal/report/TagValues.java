// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.report;

import dev.retryon.spring.module.StarterLog;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The values of one tag of the meters, and not too many of them, because a registry stores each value permanently. The
 * values that the code and the settings of the application name are declared and not limited. After a number of other
 * values, further ones share the value {@value #OTHER}. Thread-safe.
 */
public final class TagValues {

    /** The number of values that are not declared, unless the application sets another one. */
    public static final int DEFAULT_LIMIT = 500;

    static final String OTHER = "other";

    private final String tag;

    private final int limit;

    private final Set<String> declared = ConcurrentHashMap.newKeySet();

    private final Set<String> others = ConcurrentHashMap.newKeySet();

    private volatile boolean full;

    public TagValues(String tag, int limit) {
        this.tag = tag;
        this.limit = limit;
        declared.add(OTHER);
    }

    /** Returns the values of another tag, with the same limit. */
    public TagValues ofTag(String other) {
        return new TagValues(other, limit);
    }

    /** Adds a value that is not limited, and returns it. */
    public String declare(String value) {
        declared.add(value);
        return value;
    }

    /** Returns the value itself, or the shared one. */
    public String of(String value) {
        if (declared.contains(value) || others.contains(value)) {
            return value;
        }
        return full ? OTHER : add(value);
    }

    private synchronized String add(String value) {
        if (others.size() < limit) {
            others.add(value);
            return value;
        }
        if (!full && !others.contains(value)) {
            full = true;
            StarterLog.warn("the tag '" + tag + "' has more than " + limit + " values, so '" + StarterLog.plain(value)
                    + "' and further ones are counted as '" + OTHER
                    + "'; use names that do not come from data, or raise"
                    + " retryon.metrics.max-tag-values (logged once)");
        }
        return others.contains(value) ? value : OTHER;
    }
}
