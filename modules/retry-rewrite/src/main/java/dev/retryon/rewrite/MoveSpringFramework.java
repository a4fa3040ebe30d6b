// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;

/**
 * Moves {@code @Retryable} and {@code @EnableResilientMethods} of Spring Framework 7 to RetryOn, and adds its dependency
 * to the build.
 *
 * @since 0.1.0
 */
public final class MoveSpringFramework extends ScanningRecipe<Found> {

    private static final String PACKAGE = "org.springframework.resilience.annotation.";

    private static final String RETRYABLE = Library.SPRING_FRAMEWORK.annotation();

    private static final Set<String> ENABLING =
            new TreeSet<>(Set.of("EnableResilientMethods", "RetryAnnotationBeanPostProcessor"));

    private static final String ENABLE = PACKAGE + "EnableResilientMethods";

    private static final String CONCURRENCY_LIMIT = PACKAGE + "ConcurrencyLimit";

    /** Comments on imports that stay. */
    private static final Map<String, String> LEFT = Map.of(
            "org.springframework.core.retry.RetryTemplate",
            "left as it is: use the bean RetryRegistry instead of a RetryTemplate",
            "org.springframework.core.retry.RetryOperations",
            "left as it is: use the bean RetryRegistry instead of a RetryTemplate",
            "org.springframework.resilience.retry.MethodRetryEvent",
            "left as it is: methods with @RetryOn publish dev.retryon.RetryScheduled, RetrySucceeded and RetryFailed instead");

    /** Creates the recipe. */
    public MoveSpringFramework() {}

    @Override
    public String getDisplayName() {
        return "Move Spring Framework's @Retryable to RetryOn";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Retryable` of Spring Framework 7 by `@RetryOn` with the same meaning, and removes "
                + "`@EnableResilientMethods` where nothing else needs it.";
    }

    @Override
    public Found getInitialValue(ExecutionContext context) {
        return new Found(PACKAGE, Set.of(RETRYABLE, ENABLE), ENABLING);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Found found) {
        return found.scanning(new JavaIsoVisitor<>() {
            @Override
            public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
                if (ClassRule.find(List.of(annotation), CONCURRENCY_LIMIT) != null) {
                    found.stays();
                }
                return super.visitAnnotation(annotation, context);
            }
        });
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        return found.changing(
                (source, declaration) -> ClassRule.of(
                        declaration,
                        Library.SPRING_FRAMEWORK,
                        found.hierarchy(),
                        attributes -> found.refuse(SpringFrameworkTranslator.translate(attributes))),
                () -> new Visitor(found),
                found::withStarter);
    }

    /** Changes one source. */
    private static final class Visitor extends AnnotationVisitor {

        Visitor(Found found) {
            super(Set.of(RETRYABLE, "java.util.concurrent.TimeUnit"), ENABLE, found);
        }

        @Override
        public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
            J.CompilationUnit changed = super.visitCompilationUnit(unit, context);
            doAfterVisit(new ImportMarks(LEFT, unit));
            return changed;
        }
    }
}
