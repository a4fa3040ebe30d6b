// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard.internal;

import org.jspecify.annotations.Nullable;

/** The addresses of other pages that an application can configure. Each contains a placeholder. */
public enum LinkTemplate {
    /** A page that shows a trace. */
    TRACE("trace-link", "{traceId}", "https://traces.example/trace/{traceId}"),
    /** A page that shows the metrics of a method. */
    METRICS("metrics-link", "{name}", "https://grafana.example/d/retryon/retryon?var-name={name}");

    private final String property;

    private final String placeholder;

    private final String example;

    LinkTemplate(String property, String placeholder, String example) {
        this.property = property;
        this.placeholder = placeholder;
        this.example = example;
    }

    /** {@return the name of its property} */
    public String property() {
        return property;
    }

    /**
     * Returns the address if it is correct.
     *
     * @param address the address; {@code null} for no link
     * @return the address; empty for no link
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
