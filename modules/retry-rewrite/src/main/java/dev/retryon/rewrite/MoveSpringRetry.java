// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.xml.tree.Xml;

/**
 * Moves {@code @Retryable}, {@code @Recover} and {@code @EnableRetry} of spring-retry, and its dependency in {@code
 * pom.xml}, to RetryOn.
 *
 * @since 0.1.0
 */
public final class MoveSpringRetry extends ScanningRecipe<Found> {

    private static final String ENABLE_RETRY = SpringRetryClass.PACKAGE + "annotation.EnableRetry";

    private static final String BACKOFF = SpringRetryClass.PACKAGE + "annotation.Backoff";

    private static final Set<String> MOVED =
            Set.of(SpringRetryClass.RETRYABLE, SpringRetryClass.RECOVER, BACKOFF, ENABLE_RETRY);

    private static final Set<String> USED_WITH_METHODS = Set.of(SpringRetryClass.RETRYABLE, BACKOFF);

    /** Comments on imports that stay. */
    private static final Map<String, String> LEFT = left();

    private static Map<String, String> left() {
        String template = "left as it is: use the bean RetryRegistry instead of a RetryTemplate";
        String listener = "left as it is: methods with @RetryOn do not call this listener; write a bean of type"
                + " dev.retryon.RetryListener, which receives RetryScheduled and RetryFailed instead of onError";
        Map<String, String> left = new HashMap<>();
        for (String type :
                List.of("support.RetryTemplate", "support.RetryTemplateBuilder", "support.*", "RetryOperations")) {
            left.put(SpringRetryClass.PACKAGE + type, template);
        }
        for (String type : List.of(
                "RetryListener",
                "listener.RetryListenerSupport",
                "listener.MethodInvocationRetryListenerSupport",
                "listener.*")) {
            left.put(SpringRetryClass.PACKAGE + type, listener);
        }
        left.put(
                SpringRetryClass.PACKAGE + "*",
                "left as it is: methods with @RetryOn do not call a RetryListener of this package; write a bean of type"
                        + " dev.retryon.RetryListener; use the bean RetryRegistry instead of RetryOperations");
        left.put(
                ContextUses.MANAGER,
                "left as it is: getContext() is null in methods with @RetryOn; use dev.retryon.RetryContext.current()");
        return Map.copyOf(left);
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
        return new Found();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Found found) {
        return found.scanning(SpringRetryClass.PACKAGE, new JavaIsoVisitor<ExecutionContext>() {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
                for (J.Import imported : unit.getImports()) {
                    if (imported.getTypeName().equals(ContextUses.MANAGER)) {
                        found.later(() -> {
                            if (new ContextVisitor(moved(unit, found)).leavesAnythingOf(unit)) {
                                found.stays();
                            }
                        });
                    } else if (stays(imported) && isUsed(imported, unit)) {
                        found.stays();
                    }
                }
                return super.visitCompilationUnit(unit, context);
            }

            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext context) {
                SourceFile source = getCursor().firstEnclosingOrThrow(SourceFile.class);
                if (ClassRule.concerns(declaration, SpringRetryClass.PACKAGE)) {
                    found.later(() -> {
                        SpringRetryClass spring = new SpringRetryClass(declaration, found);
                        found.add(source, spring);
                        found.forms().putAll(spring.forms());
                    });
                }
                return super.visitClassDeclaration(declaration, context);
            }

            @Override
            public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
                J.ClassDeclaration declaring = getCursor().firstEnclosing(J.ClassDeclaration.class);
                found.contexts().add(method, declaring != null && SpringRetryClass.isRetried(declaring, method));
                return super.visitMethodDeclaration(method, context);
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

    /** The methods of a source that RetryOn retries from now on. */
    private static Set<UUID> moved(J.CompilationUnit unit, Found found) {
        Set<UUID> moved = new HashSet<>();
        new JavaIsoVisitor<Set<UUID>>() {
            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, Set<UUID> methods) {
                methods.addAll(new SpringRetryClass(declaration, found).moved());
                return super.visitClassDeclaration(declaration, methods);
            }
        }.visit(unit, moved);
        return moved;
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        return found.changing(
                () -> new Visitor(found),
                pom -> Pom.change(
                        pom,
                        MoveSpringRetry::isSpringRetry,
                        found.movesAnything() && !found.anythingStays(),
                        found.movesIn(pom)));
    }

    private static boolean isSpringRetry(Xml.Tag dependency) {
        return dependency.getChildValue("groupId").orElse("").equals("org.springframework.retry")
                && dependency.getChildValue("artifactId").orElse("").equals("spring-retry");
    }

    /** Changes one source. */
    private static final class Visitor extends AnnotationVisitor {

        private final Found found;

        Visitor(Found found) {
            super(USED_WITH_METHODS, declaration -> new SpringRetryClass(declaration, found));
            this.found = found;
        }

        @Override
        public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
            J.CompilationUnit changed = super.visitCompilationUnit(unit, context);
            maybeRemoveImport(SpringRetryClass.RECOVER);
            if (!found.anythingStays()) {
                doAfterVisit(new RemoveAnnotationVisitor(new AnnotationMatcher("@" + ENABLE_RETRY)));
                maybeRemoveImport(ENABLE_RETRY);
            }
            unit.getImports().stream()
                    .filter(imported -> stays(imported) && !isUsed(imported, unit))
                    .forEach(imported -> maybeRemoveImport(imported.getTypeName()));
            doAfterVisit(new ContextVisitor(moved(unit, found)));
            doAfterVisit(new ImportMarks(LEFT));
            return changed;
        }

        /** Attributes of {@code @EnableRetry} have no place in the code any more. */
        @Override
        public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext context) {
            J.ClassDeclaration changed = super.visitClassDeclaration(declaration, context);
            if (found.anythingStays()) {
                return changed;
            }
            List<String> lost = changed.getLeadingAnnotations().stream()
                    .filter(annotation -> TypeUtils.isOfClassType(annotation.getType(), ENABLE_RETRY))
                    .flatMap(annotation -> Stream.ofNullable(annotation.getArguments()))
                    .flatMap(List::stream)
                    .filter(J.Assignment.class::isInstance)
                    .map(argument -> "@EnableRetry had " + argument.printTrimmed(getCursor()) + "; "
                            + (argument.printTrimmed(getCursor()).startsWith("order")
                                    ? "the property retryon.order replaces it"
                                    : "the property spring.aop.proxy-target-class replaces it"))
                    .toList();
            return lost.isEmpty() ? changed : Comments.add(changed, lost, Comments.lineStart(changed.getPrefix()));
        }

        /** Calls of recovery methods, of tests for example, follow the change of the method. */
        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation invocation, ExecutionContext context) {
            J.MethodInvocation visited = super.visitMethodInvocation(invocation, context);
            String signature = RecoverMethods.signatureOfRecover(visited.getMethodType());
            RecoverMethods.Form form = signature == null ? null : found.forms().get(signature);
            if (form == null) {
                return visited;
            }
            JavaType.Method type = form.change(visited.getMethodType());
            return visited.withArguments(form.order(visited.getArguments()))
                    .withMethodType(type)
                    .withName(visited.getName().withSimpleName(form.name()).withType(type));
        }
    }
}
