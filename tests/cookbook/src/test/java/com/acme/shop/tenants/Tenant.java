// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.tenants;

import org.jspecify.annotations.Nullable;

/** The tenant of the request that this thread serves. */
public final class Tenant {

    private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

    private Tenant() {}

    public static @Nullable String current() {
        return CURRENT.get();
    }

    public static void set(@Nullable String tenant) {
        CURRENT.set(tenant);
    }
}
