// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard.internal;

import org.jspecify.annotations.Nullable;

/** The configurable addresses of other pages. Each contains a placeholder. */
public enum LinkTemplate {
    TRACE("trace-link", "{traceId}", "https://traces.example/trace/{traceId}"),
    METRICS("metrics-link", "{name}", "https://grafana.example/d/retryon/retryon?var-name={name}");

    private final String property;

    private final String placeholder;

    private final String example;

    LinkTemplate(String property, String placeholder, String example) {
        this.property = property;
        this.placeholder = placeholder;
        this.example = example;
    }

    public String property() {
        return property;
    }

    /**
     * Returns the address, or an empty text for {@code null}.
     *
     * @throws IllegalArgumentException if the address does not begin with {@code https://}, {@code http://} or {@code /}, or
     *     lacks the placeholder
     */
    public String check(@Nullable String address) {
        if (address == null) {
            return "";
        }
        if (!isAddress(address) || !address.contains(placeholder)) {
            throw new IllegalArgumentException(
                    "is '" + address + "', but must begin with https://, http:// or / and contain " + placeholder
                            + ", such as " + example);
        }
        return address;
    }

    private static boolean isAddress(String text) {
        return text.startsWith("https://")
                || text.startsWith("http://")
                || (text.startsWith("/") && !text.startsWith("//"));
    }
}
