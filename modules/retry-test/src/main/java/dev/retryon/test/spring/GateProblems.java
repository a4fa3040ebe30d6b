// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetriedMethods;
import dev.retryon.spring.module.Setting;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Finds gates ({@code onlyIf}, {@code unless} and {@code retryIf}) and budget keys ({@code budgetKey}) that are
 * probably wrong. At start-up, an application checks their syntax, and the variables and beans that they name. This
 * check also uses the types of the bean and of the parameters. The check finds assignments, and classes, members and
 * arguments that do not exist. It also finds enum constants that are compared with a text, gates whose values are not
 * booleans, and expressions that do not depend on the call. No expression is evaluated.
 *
 * <pre>{@code
 * assertThat(GateProblems.in(context)).isEmpty();
 * }</pre>
 *
 * <p>A member is looked up only in the bean, and in variables whose class is final. Other variables are not checked,
 * because their value can be an instance of a subclass that has more members.
 *
 * @since 0.1.0
 */
public final class GateProblems {

    private GateProblems() {}

    /**
     * Checks the gates and the budget keys of all retried methods of an application.
     *
     * @param context the started application context
     * @return one sentence for each problem, which names the method, the expression and its source; empty if the
     *     context has no retries
     */
    public static List<String> in(ConfigurableApplicationContext context) {
        StandardTypeLocator classes =
                new StandardTypeLocator(context.getBeanFactory().getBeanClassLoader());
        Set<String> found = new TreeSet<>();
        for (RetriedMethods retries : context.getBeanFactory().getBeanProvider(RetriedMethods.class)) {
            for (RetriedMethod method : retries.methods()) {
                for (Setting<String> expression :
                        List.of(Setting.ONLY_IF, Setting.UNLESS, Setting.RETRY_IF, Setting.BUDGET_KEY)) {
                    check(method, expression, classes, found);
                }
            }
        }
        return List.copyOf(found);
    }

    private static void check(
            RetriedMethod method, Setting<String> setting, StandardTypeLocator classes, Set<String> found) {
        String text = method.settings().get(setting);
        if (text == null || text.isEmpty()) {
            return;
        }
        String problem;
        try {
            new GateTypes(method.beanClass(), method.method(), setting.equals(Setting.RETRY_IF), classes)
                    .check(new SpelExpressionParser().parseRaw(text).getAST(), !setting.equals(Setting.BUDGET_KEY));
            return;
        } catch (IllegalArgumentException ex) {
            problem = ex.getMessage();
        } catch (IllegalStateException | LinkageError ex) {
            problem = "it names a class whose methods cannot be listed: " + ex;
        }
        found.add(method.key() + ": " + setting.attribute() + " is '" + text + "' ("
                + method.settings().source(setting) + "), but " + problem);
    }
}
