// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Moves {@code @Retryable}, {@code @Recover} and {@code @EnableRetry} of spring-retry, and its dependency, to
 * RetryOn.
 *
 * @since 0.1.0
 */
public final class MoveSpringRetry extends ScanningRecipe<Found> {

    private static final String GROUP = "org.springframework.retry";

    private static final String ARTIFACT = "spring-retry";

    private static final String ENABLE_RETRY = SpringRetryClass.PACKAGE + "annotation.EnableRetry";

    private static final String BACKOFF = SpringRetryClass.PACKAGE + "annotation.Backoff";

    private static final Set<String> MOVED =
            Set.of(SpringRetryClass.RETRYABLE, SpringRetryClass.RECOVER, BACKOFF, ENABLE_RETRY);

    private static final Set<String> ENABLING = new TreeSet<>(Set.of("EnableRetry", "RetryConfiguration"));

    private static final Set<String> USED_WITH_METHODS =
            Set.of(SpringRetryClass.RETRYABLE, SpringRetryClass.RECOVER, BACKOFF);

    /** Comments on imports that stay. */
    private static final Map<String, String> TEMPLATES = marks(
            "left as it is: use the bean RetryRegistry instead of a RetryTemplate",
            "support.RetryTemplate",
            "support.RetryTemplateBuilder",
            "support.*",
            "RetryOperations");

    /** Comments on imports that stay while methods move. */
    private static final Map<String, String> LISTENERS = new HashMap<>(TEMPLATES);

    static {
        LISTENERS.putAll(marks(
                "left as it is: methods with @RetryOn do not call this listener; write a bean of type"
                        + " dev.retryon.RetryListener, which receives RetryScheduled and RetryFailed instead of onError",
                "RetryListener",
                "listener.RetryListenerSupport",
                "listener.MethodInvocationRetryListenerSupport",
                "listener.*"));
        LISTENERS.putAll(marks(
                "left as it is: methods with @RetryOn do not call a RetryListener of this package; write a bean of type"
                        + " dev.retryon.RetryListener; use the bean RetryRegistry instead of RetryOperations",
                "*"));
        LISTENERS.putAll(marks(
                "left as it is: getContext() is null in methods with @RetryOn and in methods that they call; use"
                        + " dev.retryon.RetryContext.current()",
                "support.RetrySynchronizationManager"));
    }

    private static Map<String, String> marks(String text, String... types) {
        Map<String, String> marks = new HashMap<>();
        Stream.of(types).forEach(type -> marks.put(SpringRetryClass.PACKAGE + type, text));
        return marks;
    }

    /** Creates the recipe. */
    public MoveSpringRetry() {}

    @Override
    public String getDisplayName() {
        return "Move spring-retry's annotations to RetryOn";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Retryable` by `@RetryOn` with the same meaning, names the `@Recover` methods in `recover`, and "
                + "replaces the dependency where nothing of spring-retry is left.";
    }

    @Override
    public Found getInitialValue(ExecutionContext context) {
        return new Found(SpringRetryClass.PACKAGE, MOVED, ENABLING);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Found found) {
        return found.scanning(new JavaIsoVisitor<>() {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
                for (J.Import imported : unit.getImports()) {
                    if (stays(imported) && isUsed(imported, unit)) {
                        found.stays();
                    }
                }
                return super.visitCompilationUnit(unit, context);
            }
        });
    }

    private static boolean stays(J.Import imported) {
        String type = imported.getTypeName();
        return type.startsWith(SpringRetryClass.PACKAGE)
                && !MOVED.contains(type)
                && !type.equals(SpringRetryClass.PACKAGE + "annotation.*");
    }

    private static boolean isUsed(J.Import imported, J.CompilationUnit unit) {
        String type = imported.getTypeName();
        return imported.isStatic()
                || type.endsWith(".*")
                || unit.getTypesInUse().getTypesInUse().stream().anyMatch(used -> TypeUtils.isOfClassType(used, type));
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        Set<String> reordered = new HashSet<>();
        TreeVisitor<?, ExecutionContext> visitor = found.changing(
                (source, declaration) -> new SpringRetryClass(declaration, found),
                () -> new Visitor(found, reordered),
                (build, context) -> change(found.withStarter(build, context), found, context));
        found.rules().forEach(rule -> reordered.addAll(((SpringRetryClass) rule).reordered()));
        return visitor;
    }

    private static BuildFile change(BuildFile build, Found found, ExecutionContext context) {
        if (!found.movesAnything() || found.anythingStays()) {
            return build;
        }
        return found.isInUse("org.springframework.cloud")
                ? build.explaining(
                        GROUP,
                        ARTIFACT,
                        "left as it is: Spring Cloud retries only with spring-retry on the class path",
                        context)
                : build.without(GROUP, ARTIFACT, context);
    }

    /** Changes one source. */
    private static final class Visitor extends AnnotationVisitor {

        private final Found found;

        private final Set<String> reordered;

        Visitor(Found found, Set<String> reordered) {
            super(USED_WITH_METHODS, ENABLE_RETRY, found);
            this.found = found;
            this.reordered = reordered;
        }

        @Override
        public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
            J.CompilationUnit changed = super.visitCompilationUnit(unit, context);
            unit.getImports().stream()
                    .filter(imported -> stays(imported) && !isUsed(imported, unit))
                    .forEach(imported -> maybeRemoveImport(imported.getTypeName()));
            doAfterVisit(new ImportMarks(found.movesAnything() ? LISTENERS : TEMPLATES, unit));
            return changed;
        }

        /** Calls of recovery methods, of tests for example, follow the change of the method. */
        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation invocation, ExecutionContext context) {
            J.MethodInvocation visited = super.visitMethodInvocation(invocation, context);
            String signature = RecoverMethods.signatureOfRecover(visited.getMethodType());
            if (signature == null || !reordered.contains(signature)) {
                return visited;
            }
            JavaType.Method type = RecoverMethods.errorLast(visited.getMethodType());
            return visited.withArguments(RecoverMethods.errorLast(visited.getArguments()))
                    .withMethodType(type)
                    .withName(visited.getName().withType(type));
        }
    }
}
