// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryContext;
import dev.retryon.spring.internal.declaration.BeanClasses;
import dev.retryon.spring.internal.expression.DeclaredSignature;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** A method that recovers a retried method or runs before its retries, and takes {@code taken} of its arguments. */
record RecoveryForm(Method method, Method retried, int taken, boolean takesError, boolean takesContext) {

    /** Sorts subclasses before superclasses. If several methods take the same error, the one with more parameters comes first. */
    static final Comparator<RecoveryForm> NEAREST_FIRST = Comparator.comparingInt(
                    (RecoveryForm form) -> depth(form.errorType()))
            .thenComparingInt(RecoveryForm::taken)
            .thenComparing(RecoveryForm::takesContext)
            .reversed();

    /** Interprets a last parameter of an exception type as the error, unless this parameter is the last of several arguments. */
    static RecoveryForm of(Method method, Method retried) {
        Class<?>[] parameters = DeclaredSignature.types(method);
        int last = parameters.length;
        boolean takesContext = last > 0 && parameters[last - 1] == RetryContext.class;
        if (takesContext) {
            last--;
        }
        Class<?>[] arguments = DeclaredSignature.types(retried);
        boolean takesError = last > 0
                && Throwable.class.isAssignableFrom(parameters[last - 1])
                && (last == 1 || last != arguments.length || !Throwable.class.isAssignableFrom(arguments[last - 1]));
        return new RecoveryForm(method, retried, takesError ? last - 1 : last, takesError, takesContext);
    }

    Class<?> errorType() {
        return takesError ? method.getParameterTypes()[taken] : Throwable.class;
    }

    private static int depth(Class<?> type) {
        int depth = 0;
        for (Class<?> next = type; next != null; next = next.getSuperclass()) {
            depth++;
        }
        return depth;
    }

    @Nullable Object[] arguments(@Nullable Object[] retriedArguments, @Nullable Throwable error, RetryContext context) {
        int length = taken + (takesError ? 1 : 0);
        @Nullable Object[] all = Arrays.copyOf(retriedArguments, length + (takesContext ? 1 : 0));
        if (takesError) {
            all[taken] = error;
        }
        if (takesContext) {
            all[length] = context;
        }
        return all;
    }

    /**
     * Returns the reason why the method cannot serve the retried one, as the rest of a sentence, or {@code null} if it can.
     *
     * @param beanClass the class of the bean that has the retried method
     * @param owner the class of the bean that has the recovery method
     */
    @Nullable String misfit(RecoveryMethods.Role role, Class<?> beanClass, Class<?> owner) {
        String result = role == RecoveryMethods.Role.RECOVERY ? misfitOfResult(beanClass, owner) : lateResult(owner);
        return result != null ? result : misfitOfArguments(beanClass);
    }

    private @Nullable String misfitOfResult(Class<?> beanClass, Class<?> owner) {
        Class<?> returned = DeclaredSignature.returnType(retried, beanClass);
        Class<?> own = DeclaredSignature.returnType(method, owner);
        if (returned != void.class && !ClassUtils.isAssignable(returned, own)) {
            return "returns " + own.getSimpleName() + ", not " + returned.getSimpleName();
        }
        ResolvableType declared = ResolvableType.forMethodReturnType(retried, beanClass);
        ResolvableType given = ResolvableType.forMethodReturnType(method, owner);
        if (holdOtherTypes(declared, given.as(declared.toClass()))) {
            return "returns " + given + ", not " + declared;
        }
        if (KotlinDetector.isSuspendingFunction(method) && !KotlinDetector.isSuspendingFunction(retried)) {
            return "is a suspend function, which can only recover another suspend function";
        }
        return null;
    }

    /** Returns the reason why the retry would not wait until the method has finished, or {@code null} if it waits. */
    private @Nullable String lateResult(Class<?> owner) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            return "is a suspend function";
        }
        Class<?> own = DeclaredSignature.returnType(method, owner);
        return DeclaredSignature.completesLater(own)
                ? "returns " + own.getSimpleName() + ", which completes later"
                : null;
    }

    private @Nullable String misfitOfArguments(Class<?> beanClass) {
        if (taken == 0) {
            return null;
        }
        Class<?>[] parameters = DeclaredSignature.types(method);
        Class<?>[] arguments = DeclaredSignature.types(retried);
        if (taken != arguments.length) {
            return Throwable.class.isAssignableFrom(parameters[0])
                    ? "takes the error before the arguments"
                    : "takes " + taken + " of the " + arguments.length + " arguments";
        }
        for (int i = 0; i < taken; i++) {
            Class<?> argument =
                    ResolvableType.forMethodParameter(retried, i, beanClass).toClass();
            if (!ClassUtils.isAssignable(parameters[i], argument)) {
                return "takes " + parameters[i].getSimpleName() + " where the argument is " + argument.getSimpleName();
            }
        }
        return null;
    }

    /** Returns whether the type arguments of two types are incompatible, as in {@code Mono<String>} and {@code Mono<Integer>}. */
    private static boolean holdOtherTypes(ResolvableType one, ResolvableType other) {
        if (isHttpEntity(one.toClass())) {
            return false;
        }
        ResolvableType[] ours = one.getGenerics();
        ResolvableType[] theirs = other.getGenerics();
        for (int i = 0; i < ours.length && i < theirs.length && isExact(ours[i]) && isExact(theirs[i]); i++) {
            Class<?> own = ours[i].toClass();
            Class<?> their = theirs[i].toClass();
            if (isUnlike(own, their) || (own == their && holdOtherTypes(ours[i], theirs[i]))) {
                return true;
            }
        }
        return false;
    }

    /** Recognizes Spring's {@code HttpEntity}, which can be missing. The body can be of any type, because Spring writes it. */
    private static boolean isHttpEntity(@Nullable Class<?> type) {
        return BeanClasses.isNamed(type, List.of("org.springframework.http.HttpEntity"));
    }

    /** Returns whether no object can have both classes. {@code Void} fits all classes, because its value is not used. */
    private static boolean isUnlike(Class<?> own, Class<?> their) {
        return own != Void.class
                && !own.isInterface()
                && !their.isInterface()
                && !own.isAssignableFrom(their)
                && !their.isAssignableFrom(own);
    }

    private static boolean isExact(ResolvableType type) {
        return type.getType() instanceof Class<?> || type.getType() instanceof ParameterizedType;
    }

    /** Returns the rule for all methods with a name that serve a method, as a sentence without its full stop. */
    static String rule(RecoveryMethods.Role role, String name, Method retried) {
        if (role == RecoveryMethods.Role.BEFORE_RETRY) {
            return "A beforeRetry method of " + describe(retried)
                    + " takes its arguments (all or none), then optionally"
                    + " an error type, then optionally a RetryContext, and must complete its work before it"
                    + " returns, for example "
                    + example(name);
        }
        return "A recovery method for " + describe(retried) + " takes its arguments (all or none), then optionally an "
                + "error type, then optionally a RetryContext, and returns "
                + DeclaredSignature.returnType(retried, retried.getDeclaringClass())
                        .getSimpleName();
    }

    static String example(String name) {
        return "void " + name + "()";
    }

    static String describe(Method method) {
        return method.getName()
                + Arrays.stream(DeclaredSignature.types(method))
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
