// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.report;

import dev.retryon.spring.module.StarterLog;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The values of one meter tag. Values that code and settings name are declared and not limited. The number of other values is
 * limited, because a registry stores each value permanently; further ones share {@value #OTHER}. Thread-safe.
 */
public final class TagValues {

    /** The default maximum number of values that are not declared. */
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

    public TagValues ofTag(String other) {
        return new TagValues(other, limit);
    }

    public String declare(String value) {
        declared.add(value);
        return value;
    }

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
                    + "' and all further values are counted as '" + OTHER
                    + "'; use names that do not come from data, or raise"
                    + " retryon.metrics.max-tag-values (logged once)");
        }
        return others.contains(value) ? value : OTHER;
    }
}
