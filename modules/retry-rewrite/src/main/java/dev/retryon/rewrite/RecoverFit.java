// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/** How a {@code @Recover} method fits a retried one, by spring-retry's rules and then by those of RetryOn. */
enum RecoverFit {
    /** It serves the method in both libraries. */
    FITS(null),

    /** It serves another method. */
    FOREIGN(null),

    /** It takes the first of several arguments. */
    TAKES_SOME("takes some of the arguments; RetryOn passes all of them or none"),

    /** Nothing may follow a parameter of variable length. */
    VARIABLE("ends with a varargs parameter, after which no error parameter is possible"),

    /** It returns a supertype. */
    WIDER_RESULT("returns a supertype of what the retried method returns");

    private static final String THROWABLE = "java.lang.Throwable";

    private final @Nullable String obstacle;

    RecoverFit(@Nullable String obstacle) {
        this.obstacle = obstacle;
    }

    /** Why RetryOn can't use a method that spring-retry uses; {@code null} if there is no reason. */
    @Nullable String obstacle() {
        return obstacle;
    }

    static RecoverFit of(J.MethodDeclaration candidate, J.MethodDeclaration retried) {
        JavaType.Method recovery = candidate.getMethodType();
        JavaType.Method method = retried.getMethodType();
        if (recovery == null || method == null) {
            return FOREIGN;
        }
        JavaType own = recovery.getReturnType();
        JavaType returned = method.getReturnType();
        boolean same = own.toString().equals(returned.toString());
        boolean otherArguments = isParameterized(own) && isParameterized(returned);
        if (!same && (otherArguments || !TypeUtils.isAssignableTo(own, returned))) {
            return FOREIGN;
        }
        List<JavaType> parameters = recovery.getParameterTypes();
        boolean takesError = !parameters.isEmpty() && TypeUtils.isAssignableTo(THROWABLE, parameters.get(0));
        List<JavaType> taken = takesError ? parameters.subList(1, parameters.size()) : parameters;
        List<JavaType> arguments = method.getParameterTypes();
        if (taken.size() > arguments.size()) {
            return FOREIGN;
        }
        for (int i = 0; i < taken.size(); i++) {
            if (!TypeUtils.isAssignableTo(taken.get(i), arguments.get(i))) {
                return FOREIGN;
            }
        }
        if (!taken.isEmpty() && taken.size() < arguments.size()) {
            return TAKES_SOME;
        }
        if (!same) {
            return WIDER_RESULT;
        }
        return takesError && hasVariableLength(candidate) ? VARIABLE : FITS;
    }

    private static boolean isParameterized(JavaType type) {
        return type instanceof JavaType.Parameterized;
    }

    private static boolean hasVariableLength(J.MethodDeclaration method) {
        List<Statement> parameters = method.getParameters();
        return parameters.get(parameters.size() - 1) instanceof J.VariableDeclarations last
                && last.getVarargs() != null;
    }
}
