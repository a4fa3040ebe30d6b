// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aot;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.declaration.Declaration;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.SettingGroup;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * The hints that a native image needs for the annotated methods of a bean: the methods themselves, those that annotations
 * name (recovery, backoff), and the types that gates can access. Finds them without creating a bean.
 */
final class RetryBeanHints implements BeanRegistrationAotProcessor {

    /** Spring's predicates take the first for methods that are not public, and the second for those that are. */
    private static final MemberCategory[] ANY_METHOD = {
        MemberCategory.INVOKE_DECLARED_METHODS, MemberCategory.INVOKE_PUBLIC_METHODS
    };

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> beanClass = ClassUtils.getUserClass(bean.getBeanClass());
        // Contradictions among annotations are not reported here.
        RetryDeclarations declarations = new RetryDeclarations(new RetryFaults());
        if (!declarations.hasAny(beanClass)) {
            return null;
        }
        List<Method> retried =
                RetryDeclarations.methodsOf(beanClass, method -> declarations.isRetried(beanClass, method));
        if (retried.isEmpty()) {
            return null;
        }
        Named named = new Named(bean.getBeanFactory());
        Set<Class<?>> written = new LinkedHashSet<>();
        for (Method method : retried) {
            for (Declaration declaration : declarations.on(beanClass, method)) {
                if (declaration.annotation() instanceof RetryOn retryOn) {
                    named.add(method, retryOn);
                } else {
                    named.addKeys(method, declaration.annotation());
                }
                written.add(declaration.written());
            }
        }
        List<Class<?>> hierarchy = declarations.hierarchy(beanClass).types();
        return (context, code) -> {
            ReflectionHints hints = context.getRuntimeHints().reflection();
            hierarchy.forEach(type -> register(hints, type, ANY_METHOD));
            named.owners.forEach(type -> register(hints, type, ANY_METHOD));
            named.looked.forEach(type -> register(hints, type, MemberCategory.INVOKE_PUBLIC_METHODS));
            written.forEach(type -> register(hints, type, MemberCategory.INVOKE_DECLARED_METHODS));
        };
    }

    private static void register(ReflectionHints hints, Class<?> type, MemberCategory... categories) {
        if (!type.getName().startsWith("java.") && !type.isPrimitive() && !type.isArray()) {
            hints.registerType(type, categories);
        }
    }

    /** The methods and types that a bean's annotations name. */
    private static final class Named {

        private final ConfigurableListableBeanFactory beanFactory;

        private final RetryExpressions expressions;

        /** Beans whose methods are named, and the supertypes of these beans. */
        private final Set<Class<?>> owners = new LinkedHashSet<>();

        /** The types that gates may access: beans, arguments, results and errors. */
        private final Set<Class<?>> looked = new LinkedHashSet<>();

        Named(ConfigurableListableBeanFactory beanFactory) {
            this.beanFactory = beanFactory;
            this.expressions = new RetryExpressions(beanFactory);
        }

        void add(Method method, RetryOn annotation) {
            addOwner(resolve(annotation.recover()));
            addOwner(resolve(annotation.beforeRetry()));
            for (String text :
                    List.of(annotation.onlyIf(), annotation.unless(), annotation.retryIf(), annotation.budgetKey())) {
                if (addExpression(method, text)) {
                    looked.add(method.getReturnType());
                    looked.addAll(List.of(annotation.value()));
                    looked.addAll(List.of(annotation.exceptions()));
                }
            }
        }

        void addKeys(Method method, Annotation annotation) {
            SettingGroup group = SettingGroup.of(annotation.annotationType());
            if (group != null) {
                Map<String, @Nullable Object> attributes = AnnotationUtils.getAnnotationAttributes(annotation);
                group.keys().forEach(key -> addExpression(method, String.valueOf(attributes.get(key.localName()))));
            }
        }

        /** Returns whether an expression is set. */
        private boolean addExpression(Method method, String text) {
            String expression = resolve(text);
            if (expression.isEmpty()) {
                return false;
            }
            looked.addAll(Arrays.asList(method.getParameterTypes()));
            expressions.beansIn(expression).forEach(name -> addType(name, looked));
            return true;
        }

        private void addOwner(String reference) {
            int separator = reference.indexOf('#');
            if (separator > 0) {
                Set<Class<?>> types = new LinkedHashSet<>();
                addType(reference.substring(0, separator), types);
                for (Class<?> type : types) {
                    for (Class<?> next = type; next != null; next = next.getSuperclass()) {
                        owners.add(next);
                    }
                }
            }
        }

        private void addType(String beanName, Set<Class<?>> types) {
            Class<?> type = beanFactory.containsBean(beanName) ? beanFactory.getType(beanName, false) : null;
            if (type != null) {
                types.add(ClassUtils.getUserClass(type));
            }
        }

        /** Resolves placeholders, which might have no value yet when the image is built. */
        private String resolve(String text) {
            try {
                return Objects.requireNonNullElse(beanFactory.resolveEmbeddedValue(text), "");
            } catch (IllegalArgumentException ex) {
                return "";
            }
        }
    }
}
