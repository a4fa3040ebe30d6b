// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import dev.retryon.dashboard.internal.LinkTemplate;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.NodeName;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.web.util.HtmlUtils;

/**
 * The page for operators at {@code /actuator/retryondashboard}. It shows the data of the endpoints {@code retryon},
 * {@code retryonevents} and {@code retryoncalls} that the current user can read, and offers the changes that this user
 * is allowed to make. It has no other data.
 *
 * @since 0.1.0
 */
@WebEndpoint(id = RetryOnDashboardEndpoint.ID, defaultAccess = Access.READ_ONLY)
public class RetryOnDashboardEndpoint {

    /** The id of the endpoint. */
    public static final String ID = "retryondashboard";

    /** The placeholder for a trace id in a link. */
    public static final String TRACE_ID = "{traceId}";

    /** The placeholder for a method name in a link. */
    public static final String NAME = "{name}";

    private static final List<String> SHOWN = List.of("retryon", "retryonevents", "retryoncalls");

    private final Supplier<Collection<ExposableWebEndpoint>> endpoints;

    private final String traceLink;

    private final String metricsLink;

    private final String application;

    /** Read when the page is opened for the first time. */
    private final Supplier<DashboardAssets> assets = new LookUp<>(DashboardAssets::new);

    /**
     * Creates the endpoint.
     *
     * @param endpoints returns the endpoints that are exposed over the web
     * @param traceLink the address of a page that shows a trace, with {@value #TRACE_ID} instead of its id;
     *     {@code null} to show no link
     * @param metricsLink the address of a page that shows the metrics of a method, with {@value #NAME} instead of its
     *     name; {@code null} to show no link
     * @param application the name of the application
     * @throws IllegalArgumentException if a link does not begin with {@code https://}, {@code http://} or {@code /}, or
     *     does not contain its placeholder
     */
    public RetryOnDashboardEndpoint(
            Supplier<Collection<ExposableWebEndpoint>> endpoints,
            @Nullable String traceLink,
            @Nullable String metricsLink,
            String application) {
        this.endpoints = endpoints;
        this.traceLink = LinkTemplate.TRACE.check(traceLink);
        this.metricsLink = LinkTemplate.METRICS.check(metricsLink);
        this.application = application;
    }

    /** {@return the page as HTML} */
    @ReadOperation(produces = "text/html")
    public WebEndpointResponse<Resource> page() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("application", application);
        values.put("node", NodeName.get());
        values.put("trace-link", traceLink);
        values.put("metrics-link", metricsLink);
        values.put("policy", DashboardHeaders.POLICY.substring(0, DashboardHeaders.POLICY.lastIndexOf(';')));
        values.put("self", ID);
        SHOWN.forEach(id -> {
            values.put(id, "");
            values.put(id + "-access", "none");
        });
        for (ExposableWebEndpoint endpoint : endpoints.get()) {
            String id = endpoint.getEndpointId().toString();
            if (id.equals(ID)) {
                values.put("self", endpoint.getRootPath());
            } else if (SHOWN.contains(id)) {
                values.put(id, endpoint.getRootPath());
                values.put(id + "-access", isWritable(endpoint) ? "write" : "read");
            }
        }
        String self = values.getOrDefault("self", ID);
        values.put(
                "assets",
                self.substring(self.lastIndexOf('/') + 1) + "/" + assets.get().version());
        String page = assets.get().page();
        for (Map.Entry<String, String> value : values.entrySet()) {
            page = page.replace("[[" + value.getKey() + "]]", escaped(value.getValue()));
        }
        DashboardHeaders.addTo(DashboardHeaders.PAGE_CACHE);
        return new WebEndpointResponse<>(
                new ByteArrayResource(page.getBytes(StandardCharsets.UTF_8)), DashboardAssets.typeOf("index.html"));
    }

    private static boolean isWritable(ExposableWebEndpoint endpoint) {
        return endpoint.getOperations().stream()
                .anyMatch(operation -> operation.getRequestPredicate().getHttpMethod() == WebEndpointHttpMethod.POST);
    }

    /** Escapes text and quoted attributes. A value cannot be mistaken for the placeholder of another value. */
    private static String escaped(String text) {
        return HtmlUtils.htmlEscape(text, "UTF-8").replace("[", "&#91;");
    }

    /**
     * Returns a file of the page.
     *
     * @param path the version and the name of the file
     * @return the file, or status 404 if it does not exist
     */
    @ReadOperation(produces = {"text/javascript", "text/css", "image/svg+xml", "text/plain"})
    public WebEndpointResponse<Resource> file(@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
        Resource file = path.length == 2 ? assets.get().file(path[0], path[1]) : null;
        if (file == null) {
            return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
        }
        DashboardHeaders.addTo(DashboardHeaders.FILE_CACHE);
        return new WebEndpointResponse<>(file, DashboardAssets.typeOf(path[1]));
    }
}
