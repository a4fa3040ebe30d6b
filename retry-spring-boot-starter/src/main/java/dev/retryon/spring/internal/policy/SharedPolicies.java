/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Policies that several methods share because all their layers are equal and nothing in them depends on the method: most
 * applications have many retried methods and few policies. Thread-safe.
 */
final class SharedPolicies {

    /** By the settings of each layer, which are the same objects where annotations are equal. */
    private final Map<List<RetrySettings>, RetryPolicy> policies = new ConcurrentHashMap<>();

    @Nullable RetryPolicy find(List<RetryLayer> layers) {
        return policies.get(key(layers));
    }

    void share(List<RetryLayer> layers, RetryPolicy policy) {
        policies.put(key(layers), policy);
    }

    private static List<RetrySettings> key(List<RetryLayer> layers) {
        return layers.stream().map(RetryLayer::settings).toList();
    }
}
