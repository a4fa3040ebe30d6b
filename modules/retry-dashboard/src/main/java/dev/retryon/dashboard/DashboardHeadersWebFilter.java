// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import dev.retryon.spring.module.LookUp;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Adds the headers of the dashboard to its responses on WebFlux.
 *
 * @since 0.1.0
 */
public final class DashboardHeadersWebFilter implements WebFilter {

    /** Supplies the path of the dashboard; empty if the dashboard is not exposed. */
    private final Supplier<String> location;

    /**
     * Creates the filter.
     *
     * @param path returns the path of the dashboard within the application, or {@code null} if the dashboard is not
     *     exposed; called only once
     */
    public DashboardHeadersWebFilter(Supplier<@Nullable String> path) {
        this.location = new LookUp<>(() -> Objects.requireNonNullElse(path.get(), ""));
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        String asked = exchange.getRequest().getPath().pathWithinApplication().value();
        String page = location.get();
        if (!page.isEmpty() && asked.startsWith(page)) {
            boolean isPage = asked.length() == page.length();
            if (isPage || asked.charAt(page.length()) == '/') {
                exchange.getResponse().beforeCommit(() -> Mono.fromRunnable(() -> add(exchange, isPage)));
            }
        }
        return chain.filter(exchange);
    }

    private static void add(ServerWebExchange exchange, boolean isPage) {
        HttpHeaders headers = exchange.getResponse().getHeaders();
        DashboardHeaders.all().forEach(headers::set);
        HttpStatusCode status = exchange.getResponse().getStatusCode();
        boolean isFile = !isPage && (status == null || status.is2xxSuccessful());
        headers.set(DashboardHeaders.CACHE_CONTROL, isFile ? DashboardHeaders.FILE_CACHE : DashboardHeaders.PAGE_CACHE);
    }
}
