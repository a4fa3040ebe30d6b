// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/** Finds variables, beans and methods that certainly do not exist. Throws IllegalArgumentException with a sentence about them. */
final class GateCheck {

    /** The variables for the root object, unless it is the element of a list. */
    private static final Set<String> TARGET = Set.of("root", "target");

    private GateCheck() {}

    /** Checks the names in an expression. The variables are {@code null} if they are still unknown. */
    static void check(SpelNode gate, @Nullable GateVariables known, BeanFactory beans) {
        if (known != null) {
            nodes(gate).forEach(node -> {
                if (node instanceof VariableReference variable) {
                    known.require(name(variable));
                }
            });
        }
        for (String name : beans(gate)) {
            if (!beans.containsBean(name)) {
                throw new IllegalArgumentException("names the bean '" + name + "', which does not exist");
            }
        }
    }

    static boolean isTimed(SpelNode gate) {
        return nodes(gate)
                .anyMatch(node -> node instanceof VariableReference variable
                        && name(variable).equals("elapsed"));
    }

    static Set<String> beans(SpelNode gate) {
        return nodes(gate)
                .filter(BeanReference.class::isInstance)
                .map(node -> node.toStringAST().replaceAll("[@&'\"]", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Checks the names of the methods that a gate calls on the target. */
    static void checkMethods(SpelNode node, Set<String> methods, Class<?> targetClass) {
        if (node instanceof Selection || node instanceof Projection) {
            // Inside a selection or projection, a name without a qualifier belongs to the element.
            return;
        }
        boolean isQualified = node instanceof CompoundExpression;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (isQualified && i > 0 && child instanceof MethodReference && !(i == 1 && isTarget(node.getChild(0)))) {
                children(child).forEach(argument -> checkMethods(argument, methods, targetClass));
            } else {
                checkMethods(child, methods, targetClass);
            }
        }
        if (node instanceof MethodReference called && !methods.contains(called.getName())) {
            throw new IllegalArgumentException(
                    "calls the method '" + called.getName() + "', which " + targetClass.getName() + " does not have");
        }
    }

    private static boolean isTarget(SpelNode node) {
        return node instanceof VariableReference variable && TARGET.contains(name(variable));
    }

    private static Stream<SpelNode> nodes(SpelNode node) {
        return Stream.concat(Stream.of(node), children(node).flatMap(GateCheck::nodes));
    }

    private static Stream<SpelNode> children(SpelNode node) {
        return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
    }

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }
}
