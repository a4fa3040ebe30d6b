// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.RetryEngine;
import dev.retryon.spring.internal.report.Suggestion;
import dev.retryon.spring.internal.settings.PropertyBlocks;
import java.net.URL;
import java.security.CodeSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The types that pointcuts name. A pointcut may be for another application, or for a library that is absent. */
public final class PointcutTypes {

    /** AspectJ's messages about a type that is not on the class path. The second has dollar signs for dots. */
    private static final Pattern ABSENT =
            Pattern.compile("(?:no match for this type name:|not an annotation type:) ([\\w$]+(?:[.$][\\w$]+)+)");

    /** The full name of a type, method or package, up to a wildcard. */
    private static final Pattern NAME = Pattern.compile("[\\w$]+(?:\\.[\\w$]+)+(?![\\w$*])");

    /** Boot makes beans of these in every application; some of their classes can't have a proxy. */
    private static final List<String> FRAMEWORKS = List.of("org.springframework.", "io.micrometer.");

    /** The jars of the modules on the class path. */
    private static final Set<String> MODULES = locationsOfModules();

    private PointcutTypes() {}

    /**
     * Reads an expression. A part about an absent type matches nothing.
     *
     * @throws RuntimeException if it is no AspectJ expression
     */
    public static AspectJExpressionPointcut parse(String expression, ConfigurableListableBeanFactory beanFactory) {
        String left = expression;
        while (true) {
            AspectJExpressionPointcut pointcut = new AspectJExpressionPointcut();
            pointcut.setBeanFactory(beanFactory);
            pointcut.setExpression(left);
            try {
                pointcut.getPointcutExpression();
                return pointcut;
            } catch (RuntimeException ex) {
                String without = withoutAbsentType(left, String.valueOf(ex.getMessage()), beanFactory);
                if (without.equals(left)) {
                    throw ex;
                }
                left = without;
            }
        }
    }

    private static String withoutAbsentType(
            String expression, String problem, ConfigurableListableBeanFactory beanFactory) {
        Matcher absent = ABSENT.matcher(problem);
        if (!absent.find() || type(absent.group(1).replace('$', '.'), beanFactory.getBeanClassLoader()) != null) {
            return expression;
        }
        String name = "(?<![\\w.$])(" + absent.group(1).replaceAll("[.$]", "[.\\\\\\$]") + ")(?![\\w$])";
        // These take no wildcard.
        String without =
                expression.replaceAll("(@\\w+|\\b(this|target|args))\\s*\\(\\s*" + name + "\\s*\\)", "(!within(*))");
        return without.equals(expression) ? expression.replaceAll(name, "$1_absent_*") : without;
    }

    /**
     * Whether a class is part of RetryOn, or is one of Spring's or Micrometer's that an expression does not name. An expression
     * for all public methods does not select these.
     */
    public static boolean isOfFramework(Class<?> beanClass, String expression) {
        String name = beanClass.getName();
        return FRAMEWORKS.stream().anyMatch(each -> name.startsWith(each) && !expression.contains(each))
                || (name.startsWith("dev.retryon.")
                        && location(beanClass).filter(MODULES::contains).isPresent());
    }

    private static Set<String> locationsOfModules() {
        Stream<Class<?>> modules = PropertyBlocks.ofModules().stream().map(Object::getClass);
        return Stream.concat(Stream.of(PointcutTypes.class, RetryEngine.class), modules)
                .flatMap(type -> location(type).stream())
                .collect(Collectors.toSet());
    }

    /** A text, because comparing two {@code URL}s looks up their hosts; empty if the class loader has none. */
    private static Optional<String> location(Class<?> type) {
        return Optional.ofNullable(type.getProtectionDomain().getCodeSource())
                .map(CodeSource::getLocation)
                .map(URL::toString);
    }

    /**
     * Whether all that an expression names, if anything, is about beans of this context, or differs from it by a slip only: it
     * should match something then.
     */
    public static boolean areHere(String expression, Set<Class<?>> beans) {
        Set<String> places = new TreeSet<>();
        for (Class<?> bean : beans) {
            for (String place = bean.getName().replace('$', '.'); place.indexOf('.') > 0; place = parent(place)) {
                places.add(place);
            }
        }
        Matcher names = NAME.matcher(expression);
        while (names.find()) {
            String name = names.group().replace('$', '.');
            if (name.startsWith("java.")) {
                continue;
            }
            Class<?> type = type(name, null);
            if (type == null && Character.isLowerCase(name.charAt(name.lastIndexOf('.') + 1))) {
                type = type(parent(name), null); // of a method
            }
            if (type != null && type.isAnnotation()) {
                continue;
            }
            boolean isHere = type != null
                    ? beans.stream().anyMatch(type::isAssignableFrom)
                    : places.contains(name)
                            || places.contains(parent(name))
                            || places.contains(parent(parent(name)))
                            || Suggestion.slip(name, places) != null;
            if (!isHere) {
                return false;
            }
        }
        return true;
    }

    private static String parent(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    /** The class of a name, in which a nested class may follow a dot. */
    private static @Nullable Class<?> type(String name, @Nullable ClassLoader classLoader) {
        String next = name;
        while (true) {
            try {
                return ClassUtils.forName(next, classLoader);
            } catch (ClassNotFoundException | LinkageError ex) {
                int dot = next.lastIndexOf('.');
                if (dot < 0) {
                    return null;
                }
                next = next.substring(0, dot) + "$" + next.substring(dot + 1);
            }
        }
    }
}
