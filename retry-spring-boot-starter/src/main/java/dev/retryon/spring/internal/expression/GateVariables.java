// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The variables that a gate may name, without the number sign and as a list for faults. */
record GateVariables(Set<String> names, String listed) {

    enum Subject {
        /** Arguments can be used, but not the values that only an attempt has. */
        CALL,
        ERROR,
        RESULT
    }

    private static final Set<String> OF_ANY_CALL = Set.of("args", "target", "root", "this");

    private static final Set<String> OF_ANY_ATTEMPT = Set.of("error", "attempt", "maxAttempts", "elapsed");

    /** Returns the variables of a method. Faults of a shared gate do not list the parameters of one method. */
    static GateVariables of(
            Method method, @Nullable String @Nullable [] parameters, Subject subject, boolean isShared) {
        Set<String> names = new TreeSet<>(OF_ANY_CALL);
        if (subject != Subject.CALL) {
            names.addAll(OF_ANY_ATTEMPT);
        }
        if (subject == Subject.RESULT) {
            names.add("result");
        }
        String ofAnyMethod = list(names) + " and the parameters of the method";
        for (int i = 0; i < DeclaredSignature.count(method); i++) {
            names.add("p" + i);
            if (parameters != null && i < parameters.length && parameters[i] != null) {
                names.add(parameters[i]);
            }
        }
        return new GateVariables(names, isShared ? ofAnyMethod : list(names));
    }

    private static String list(Set<String> names) {
        return names.stream().map(name -> "#" + name).collect(Collectors.joining(", "));
    }

    void require(String name) {
        if (!names.contains(name)) {
            throw new IllegalArgumentException("names the unknown variable #" + name + "; use one of " + listed);
        }
    }
}
