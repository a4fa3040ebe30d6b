// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/**
 * Moves applications from {@code @Retryable} and {@code @EnableResilientMethods} of Spring Framework 7 to RetryOn, and
 * adds the dependency on RetryOn to the build.
 *
 * @since 0.1.0
 */
public final class MoveSpringFramework extends ScanningRecipe<Found> {

    private static final String TEMPLATE = "left as it is: use the RetryRegistry bean instead of a RetryTemplate";

    /** Comments for imports that are not removed. */
    private static final Map<String, String> TEMPLATES = Map.of(
            "org.springframework.core.retry.RetryTemplate",
            TEMPLATE,
            "org.springframework.core.retry.RetryOperations",
            TEMPLATE);

    /** Comments for imports that are not removed although methods are moved. */
    private static final Map<String, String> LISTENERS = new HashMap<>(TEMPLATES);

    static {
        LISTENERS.put(
                "org.springframework.resilience.retry.MethodRetryEvent",
                "left as it is: methods with @RetryOn publish dev.retryon.RetryScheduled, RetrySucceeded and RetryFailed instead");
    }

    private static final Pattern ORDER = Pattern.compile("\\bEnableTransactionManagement\\([^)]*\\border\\s*=");

    /** Creates the recipe. */
    public MoveSpringFramework() {}

    @Override
    public String getDisplayName() {
        return "Move Spring Framework's @Retryable to RetryOn";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Retryable` of Spring Framework 7 with an equivalent `@RetryOn`, and removes "
                + "`@EnableResilientMethods` if nothing else needs it.";
    }

    @Override
    public Found getInitialValue(ExecutionContext context) {
        return new Found(Library.SPRING_FRAMEWORK) {
            private boolean ordersTransactions;

            @Override
            void scan(SourceFile source) {
                super.scan(source);
                ordersTransactions |= source instanceof JavaSourceFile
                        && ORDER.matcher(source.printAll()).find();
            }

            @Override
            void translate(Site site) {
                if (ordersTransactions) {
                    site.translation()
                            .leave("transactions have a configured order, so they run inside the retries of"
                                    + " @Retryable and would run outside the retries of @RetryOn; write @RetryOn, and"
                                    + " set retryon.order to a lower value");
                }
                SpringFrameworkTranslator.translate(site);
            }

            @Override
            Map<String, String> explanations(J.CompilationUnit unit) {
                return movesAnything() ? LISTENERS : TEMPLATES;
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Found found) {
        return found.scanner();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        return found.changer();
    }
}
