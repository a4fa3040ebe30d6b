// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.util.HashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/** Properties of an endpoint that can show secret values. */
public class ShownValues {

    /** When to show values that can contain secrets: literals in expressions, arguments and error messages. */
    private Show showValues = Show.NEVER;

    /** Roles that are allowed to see possibly secret values. If empty, all authenticated users can see them. */
    private final Set<String> roles = new HashSet<>();

    public Show getShowValues() {
        return showValues;
    }

    public void setShowValues(Show showValues) {
        this.showValues = showValues;
    }

    public Set<String> getRoles() {
        return roles;
    }

    /** Returns whether to show values to the user who sent a request. */
    public boolean isShownTo(SecurityContext securityContext) {
        return showValues.isShown(securityContext, roles);
    }
}
