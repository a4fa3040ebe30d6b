// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.report.StarterLog;
import dev.retryon.spring.internal.settings.ConfiguredLayers.PointcutPolicy;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.aspectj.weaver.patterns.PatternParser;
import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ReflectionUtils;

/** The AspectJ expressions of {@code retryon.pointcuts}. */
public final class PointcutPolicies {

    /** An expression for all public methods does not select beans of these, unless it names them. */
    private static final List<String> FRAMEWORKS = List.of("org.springframework.", "io.micrometer.", "dev.retryon.");

    private static final Pattern BY_BEAN_NAME = Pattern.compile("\\bbean\\s*\\(");

    private final List<Entry> entries = new ArrayList<>();

    /** The sources of pointcuts that match a method. */
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    private final List<RetryFault> faults = new ArrayList<>();

    public PointcutPolicies(Map<String, PointcutPolicy> configured, ConfigurableListableBeanFactory beanFactory) {
        for (PointcutPolicy policy : new TreeMap<>(configured).values()) {
            Place property = Place.property(policy.source() + ".expression");
            String is = "is '" + policy.expression() + "', ";
            if (BY_BEAN_NAME.matcher(policy.expression()).find()) {
                // Known while a bean is proxied, and unknown when its policy is looked for.
                faults.add(new RetryFault(
                        property,
                        is + "but must not choose by name with bean(…): policies belong to classes, so use within(…) or"
                                + " execution(…)"));
                continue;
            }
            AspectJExpressionPointcut pointcut = new AspectJExpressionPointcut();
            pointcut.setBeanFactory(beanFactory);
            pointcut.setExpression(policy.expression());
            try {
                pointcut.getPointcutExpression();
                entries.add(new Entry(policy, pointcut));
            } catch (RuntimeException ex) {
                String problem =
                        String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
                if (isWellFormed(pointcut)) {
                    StarterLog.infoOfStart(property + " " + is + "which matches nothing: " + problem);
                } else {
                    faults.add(new RetryFault(property, is + "which is no AspectJ pointcut expression: " + problem));
                }
            }
        }
    }

    /** Whether AspectJ understands an expression, whatever types it names. They may be those of another application. */
    private static boolean isWellFormed(AspectJExpressionPointcut pointcut) {
        try {
            new PatternParser(String.valueOf(pointcut.getExpression())).parsePointcut();
            return true;
        } catch (RuntimeException ex) {
            return false;
        }
    }

    /** Returns the faults of the expressions, which are reported together with those of other properties. */
    public List<RetryFault> faults() {
        return faults;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    public boolean isCandidate(Class<?> beanClass) {
        return entries.stream()
                .anyMatch(entry -> entry.isFor(beanClass) && AopUtils.canApply(entry.pointcut(), beanClass));
    }

    public boolean matches(Class<?> beanClass, Method method) {
        return stream(beanClass, method).findAny().isPresent();
    }

    /** The policies for a method that is retried, in the order of their ids: the last is the strongest. */
    public List<PointcutPolicy> matching(Class<?> beanClass, Method method) {
        return stream(beanClass, method)
                .peek(policy -> used.add(policy.source()))
                .toList();
    }

    private Stream<PointcutPolicy> stream(Class<?> beanClass, Method method) {
        return entries.isEmpty() || ReflectionUtils.isObjectMethod(method)
                ? Stream.of()
                : entries.stream()
                        .filter(entry -> entry.isFor(beanClass)
                                && entry.pointcut().getMethodMatcher().matches(method, beanClass))
                        .map(Entry::policy);
    }

    /** Logs the pointcuts that select no method. It is a warning if they may select methods of a bean's class. */
    public void warnOfUnused(Set<Class<?>> beans, RetryFaults faults) {
        for (Entry entry : entries) {
            PointcutPolicy policy = entry.policy();
            if (used.contains(policy.source())) {
                continue;
            }
            String what = policy.source() + ".expression is '" + policy.expression()
                    + "', which matches no method of any bean, so the policy '" + policy.policy()
                    + "' has no effect";
            if (beans.stream().anyMatch(entry::isFor)) {
                faults.warn(RetryWarning.POINTCUT, what + "; correct the expression or remove the pointcut");
            } else {
                StarterLog.infoOfStart(what + " in this context");
            }
        }
    }

    private record Entry(PointcutPolicy policy, AspectJExpressionPointcut pointcut) {

        boolean isFor(Class<?> beanClass) {
            return FRAMEWORKS.stream()
                            .noneMatch(own -> beanClass.getName().startsWith(own)
                                    && !policy.expression().contains(own))
                    && pointcut.getClassFilter().matches(beanClass);
        }
    }
}
