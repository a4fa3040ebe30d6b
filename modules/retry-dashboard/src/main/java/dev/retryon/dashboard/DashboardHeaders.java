// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The headers of the dashboard, which an operation of an endpoint cannot set. On servlet containers they are added to the
 * response that Spring has bound to the thread. On WebFlux, {@link DashboardHeadersWebFilter} adds them.
 */
final class DashboardHeaders {

    /** Allows only files of the same origin: no inline script or style, no frame around the page, no form, no other base. */
    static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> ALWAYS = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Opener-Policy", "same-origin");

    static final String CACHE_CONTROL = "Cache-Control";

    /** The page names its files, so browsers must request it each time. */
    static final String PAGE_CACHE = "no-cache";

    /** The address of a file changes with its content. */
    static final String FILE_CACHE = "private, max-age=31536000, immutable";

    private static final boolean SERVLETS =
            ClassUtils.isPresent("jakarta.servlet.http.HttpServletResponse", DashboardHeaders.class.getClassLoader());

    private DashboardHeaders() {}

    static Map<String, String> all() {
        return ALWAYS;
    }

    static void addTo(String cache) {
        if (SERVLETS) {
            Servlet.add(cache);
        }
    }

    /** Loaded only on servlet containers. */
    private static final class Servlet {

        static void add(String cache) {
            RequestAttributes attributes = RequestContextHolder.getRequestAttributes();
            HttpServletResponse response =
                    attributes instanceof ServletRequestAttributes servlet ? servlet.getResponse() : null;
            if (response != null) {
                ALWAYS.forEach(response::setHeader);
                response.setHeader(CACHE_CONTROL, cache);
            }
        }
    }
}
