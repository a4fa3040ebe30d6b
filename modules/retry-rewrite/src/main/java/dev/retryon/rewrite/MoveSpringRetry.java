// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/**
 * Moves applications from {@code @Retryable}, {@code @Recover} and {@code @EnableRetry} of spring-retry to
 * RetryOn, including the dependency.
 *
 * @since 0.1.0
 */
public final class MoveSpringRetry extends ScanningRecipe<Found> {

    private static final String GROUP = "org.springframework.retry";

    private static final String ARTIFACT = "spring-retry";

    private static final String RESILIENCE4J = "io.github.resilience4j.";

    /** Comments for imports that are not removed. */
    private static final Map<String, String> TEMPLATES = explanations(
            "left as it is: use the RetryRegistry bean instead of a RetryTemplate",
            "support.RetryTemplate",
            "support.RetryTemplateBuilder",
            "support.*",
            "RetryOperations");

    /** Comments for imports that are not removed although methods are moved. */
    private static final Map<String, String> LISTENERS = new HashMap<>(TEMPLATES);

    static {
        LISTENERS.putAll(explanations(
                "left as it is: methods with @RetryOn do not call this listener; define a bean of type"
                        + " dev.retryon.RetryListener, which receives RetryScheduled and RetryFailed instead of onError",
                "RetryListener",
                "listener.RetryListenerSupport",
                "listener.MethodInvocationRetryListenerSupport",
                "listener.*"));
        LISTENERS.putAll(explanations(
                "left as it is: methods with @RetryOn do not call a RetryListener of this package; define a bean of"
                        + " type dev.retryon.RetryListener; use the RetryRegistry bean instead of RetryOperations",
                "*"));
        LISTENERS.putAll(explanations(
                "left as it is: methods with @RetryOn throw the original error instead of this exception",
                "ExhaustedRetryException"));
        LISTENERS.putAll(explanations(
                "left as it is: getContext() is null in methods with @RetryOn and in methods that they call; use"
                        + " dev.retryon.RetryContext.current()",
                "support.RetrySynchronizationManager"));
    }

    private static Map<String, String> explanations(String text, String... types) {
        Map<String, String> explanations = new HashMap<>();
        Stream.of(types).forEach(type -> explanations.put(Library.SPRING_RETRY.packageName() + type, text));
        return explanations;
    }

    /** Creates the recipe. */
    public MoveSpringRetry() {}

    @Override
    public String getDisplayName() {
        return "Move spring-retry's annotations to RetryOn";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Retryable` with an equivalent `@RetryOn`, names the `@Recover` methods in `recover`, and "
                + "replaces the dependency if spring-retry is no longer used.";
    }

    @Override
    public Found getInitialValue(ExecutionContext context) {
        return new FoundSpringRetry();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Found found) {
        return found.scanner();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        return found.changer();
    }

    private static final class FoundSpringRetry extends Found {

        /** The signatures of the recovery methods of migrated annotations. */
        private final Set<String> recoveries = new HashSet<>();

        FoundSpringRetry() {
            super(Library.SPRING_RETRY);
        }

        @Override
        void translate(Site site) {
            site.annotations(RESILIENCE4J)
                    .findFirst()
                    .ifPresent(advice -> site.translation()
                            .leave("Resilience4j's @" + advice.getClassName()
                                    + " runs outside the retries of @Retryable and would run inside"
                                    + " the retries of @RetryOn; write @RetryOn, and set retryon.order to 2147483646"));
            SpringRetryTranslator.translate(site);
            Recovery.translate(site);
            if (site.retried().stream().anyMatch(Recovery::asksForContext)) {
                site.translation()
                        .leave("its code reads the context of spring-retry, which is null in a method with @RetryOn;"
                                + " use RetryContext.current()");
            }
        }

        @Override
        void moves(Site site) {
            super.moves(site);
            site.recoveries().forEach(recoveries::add);
        }

        @Override
        boolean isMovedRecovery(JavaType.@Nullable Method method) {
            return method != null && Recovery.isRecover(method) && recoveries.contains(Hierarchy.signature(method));
        }

        @Override
        void decide() {
            super.decide();
            hierarchy()
                    .all()
                    .flatMap(type -> type.getMethods().stream())
                    .filter(method -> Recovery.isRecover(method) && !isMovedRecovery(method))
                    .forEach(method -> uses(Library.RECOVER));
        }

        @Override
        Map<String, String> explanations(J.CompilationUnit unit) {
            return movesAnything() ? LISTENERS : TEMPLATES;
        }

        @Override
        boolean isRemoved() {
            return movesAnything() && !anythingStays() && !isInUse("org.springframework.cloud");
        }

        @Override
        BuildFile change(BuildFile build, ExecutionContext context) {
            BuildFile changed = super.change(build, context);
            if (!movesAnything() || anythingStays()) {
                return changed;
            }
            return isRemoved()
                    ? changed.without(GROUP, ARTIFACT, context)
                    : changed.explaining(
                            GROUP,
                            ARTIFACT,
                            "left as it is: Spring Cloud retries only with spring-retry on the class path",
                            context);
        }
    }
}
