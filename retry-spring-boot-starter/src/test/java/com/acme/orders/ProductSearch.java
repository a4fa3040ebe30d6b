// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.List;
import org.springframework.stereotype.Service;

/** The service of the guide to limits: one budget for each tenant, with and without the annotation. */
@Service
public class ProductSearch {

    private final Catalogue catalogue;

    public ProductSearch(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    @RetryOn(value = IOException.class, budget = "search", budgetKey = "#tenant")
    public List<String> find(String tenant, String words) throws IOException {
        return catalogue.find(tenant, words);
    }

    List<String> findInPlainJava(Search search) throws Throwable {
        RetryPolicy policy = RetryPolicy.builder()
                .retryOn(IOException.class)
                .budget(
                        RetryBudget.ofDefaults(),
                        context -> ((Search) context.subject().target()).tenant())
                .build();
        Retry retry = Retry.of("search", policy);
        List<String> found = retry.call(search, (query, attempt) -> catalogue.find(query.tenant(), query.words()));
        return found;
    }

    /** The products of all tenants. */
    public interface Catalogue {

        List<String> find(String tenant, String words) throws IOException;
    }

    record Search(String tenant, String words) {}
}
