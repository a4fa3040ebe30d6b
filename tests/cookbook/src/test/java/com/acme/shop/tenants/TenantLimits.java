// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.tenants;

import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.budget.RetryBudget;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

@Component
public class TenantLimits implements RetryDecider {

    private final Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();

    @Override
    public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
        String tenant = Tenant.current();
        return tenant == null || budget(tenant).withdraw();
    }

    private RetryBudget budget(String tenant) {
        return budgets.computeIfAbsent(
                tenant, name -> RetryBudget.builder().ratio(0).minPerSecond(2).build());
    }
}
