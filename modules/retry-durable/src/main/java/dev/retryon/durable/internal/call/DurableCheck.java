// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.durable.DurableMode;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.invocation.StoredArguments;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.NestedRuntimeException;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;

/** Checks durable methods at start-up: their types, and everything that they need. If they can run, starts the engine. */
public final class DurableCheck {

    private static final String STORE = "retryon.durable.store";

    /** The types of results that come later and might have no value. */
    private static final Set<String> LATER =
            Set.of(CompletableFuture.class.getName(), CompletionStage.class.getName(), "reactor.core.publisher.Mono");

    private static final String BUILT_IN = "retryOnCallEngine";

    /** The lowest version of db-scheduler that has all methods that durable calls use. */
    private static final String LOWEST_SCHEDULER = "16.12.0";

    private static final String SCHEDULER = "META-INF/maven/com.github.kagkarlsson/db-scheduler/pom.properties";

    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.access.expression.method.MethodSecurityExpressionHandler",
            DurableCheck.class.getClassLoader());

    /** Spring's scopes for a request or a session. By name, because spring-web can be missing. A subclass can differ. */
    private static final Set<String> SCOPES_OF_CALLERS = Set.of(
            "org.springframework.web.context.request.RequestScope",
            "org.springframework.web.context.request.SessionScope");

    private final ConfigurableListableBeanFactory beanFactory;

    private final @Nullable ClassLoader classLoader;

    private final RetryFaults faults;

    public DurableCheck(ConfigurableListableBeanFactory beanFactory, RetryFaults faults) {
        this.faults = faults;
        this.beanFactory = beanFactory;
        this.classLoader = beanFactory.getBeanClassLoader();
    }

    /** Returns whether a store of dead letters exists. */
    public static boolean keepsDeadLetters(ListableBeanFactory beanFactory) {
        return beanFactory.getBeanNamesForType(CallStore.class, true, false).length > 0;
    }

    /** Checks durable methods. Creates the beans of durable calls only if nothing is missing. */
    public void check(List<RetriedMethod> methods) {
        List<RetriedMethod> durable =
                methods.stream().filter(RetriedMethod::isHandedOver).toList();
        if (durable.isEmpty()) {
            return;
        }
        durable.forEach(this::checkMethod);
        String unmet = unmetNeed();
        if (unmet != null) {
            durable.forEach(method -> refuse(method, unmet));
            return;
        }
        DurableCalls found = beanFactory.getBean(DurableCalls.class);
        durable.forEach(method -> checkArguments(method, found.arguments()));
        Set<String> lanes = found.settings().lanes().names();
        durable.forEach(method -> checkLane(method, lanes));
        checkStore(durable, found);
        if (!faults.hasAny()) {
            beanFactory.getBean(DurableLifecycle.class).need();
        }
    }

    /** Describes a missing requirement of all durable methods. Returns {@code null} if nothing is missing. */
    private @Nullable String unmetNeed() {
        boolean isInMemory =
                !Set.of(BUILT_IN).containsAll(List.of(beanFactory.getBeanNamesForType(CallEngine.class, true, false)));
        List<String> missing = missing(isInMemory);
        if (!missing.isEmpty()) {
            return "a dependency is missing; add " + missing;
        }
        String scheduler = isInMemory ? null : tooOldScheduler();
        if (scheduler != null) {
            return "db-scheduler on the class path is " + scheduler + "; use com.github.kagkarlsson:db-scheduler "
                    + LOWEST_SCHEDULER + " or newer";
        }
        return keepsDeadLetters(beanFactory)
                ? null
                : "the application has no store for calls that fail permanently, and no caller receives their errors;"
                        + " configure a DataSource";
    }

    /** Returns the artifacts that are not on the class path. A test with calls in memory needs fewer. */
    private List<String> missing(boolean isInMemory) {
        Map<String, String> needed = new LinkedHashMap<>();
        if (!isInMemory) {
            needed.put(
                    "org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer",
                    "org.springframework.boot:spring-boot-starter-jdbc");
            needed.put("com.github.kagkarlsson.scheduler.Scheduler", "com.github.kagkarlsson:db-scheduler");
        }
        needed.put("tools.jackson.databind.json.JsonMapper", "tools.jackson.core:jackson-databind");
        needed.keySet().removeIf(type -> ClassUtils.isPresent(type, classLoader));
        return List.copyOf(needed.values());
    }

    /** Returns db-scheduler's version if it is too old, or {@code null} if it is recent enough or unknown. */
    private @Nullable String tooOldScheduler() {
        try {
            Resource resource = new ClassPathResource(SCHEDULER, classLoader);
            String version = PropertiesLoaderUtils.loadProperties(resource).getProperty("version", "");
            Version released = Version.parse(version.replaceFirst("-.*", ""));
            return released.compareTo(Version.parse(LOWEST_SCHEDULER)) < 0 ? version : null;
        } catch (IOException | IllegalArgumentException ex) {
            return null;
        }
    }

    private void refuse(RetriedMethod method, String problem) {
        EffectiveSettings.Value<DurableMode> value = method.settings().value(DurableGroup.MODE);
        faults.add(place(method), "durable.mode is '" + (value == null ? "" : value.print()) + "', but " + problem);
    }

    private static Place place(RetriedMethod method) {
        return method.settings().place(DurableGroup.MODE);
    }

    private void checkMethod(RetriedMethod method) {
        String result = result(method);
        if (result != null) {
            refuse(
                    method,
                    "method " + method.method().getName() + " returns " + result
                            + ", which no caller can receive, because the call continues later and perhaps in another"
                            + " process; return void, CompletableFuture<Void> or Mono<Void>, or use"
                            + " @Durable(ON_EXHAUSTION)");
        }
        String scope = scopeOfCaller(method.beanClass());
        if (scope != null) {
            refuse(
                    method,
                    "its bean has the scope '" + scope
                            + "', which a worker does not have; move the method to a singleton"
                            + " bean, and pass the data that it needs as arguments");
        }
        String annotation = SECURITY ? MethodSecurity.deniesWorkers(method, beanFactory) : null;
        if (annotation != null) {
            refuse(
                    method,
                    "method " + method.method().getName() + " has " + annotation
                            + ", but a worker has no authentication, so each stored call would be denied; put the"
                            + " annotation on the method that calls it");
        }
        if (!isAsync(method)) {
            return;
        }
        String async = "method " + method.method().getName() + " is @Async";
        if (DurableGroup.isOutbox(method)) {
            refuse(
                    method,
                    async + ", so it would be stored on another thread, outside the caller's transaction; remove"
                            + " @Async, because the caller does not wait for OUTBOX anyway");
        } else if (beanFactory.containsBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)) {
            refuse(
                    method,
                    async + " by AspectJ, which a worker cannot bypass; remove @Async, or use"
                            + " @EnableAsync(mode = AdviceMode.PROXY)");
        }
    }

    /** Returns the scope of a class's beans if each ends with the caller's request or session; otherwise {@code null}. */
    private @Nullable String scopeOfCaller(Class<?> beanClass) {
        List<String> names = List.of(beanFactory.getBeanNamesForType(beanClass, true, false));
        String found = null;
        for (String name : names) {
            if (names.contains(ScopedProxyUtils.getTargetBeanName(name))) {
                continue; // the proxy of a scoped bean
            }
            String scope = beanFactory.containsBeanDefinition(name)
                    ? beanFactory.getMergedBeanDefinition(name).getScope()
                    : null;
            Scope registered = scope == null ? null : beanFactory.getRegisteredScope(scope);
            if (registered == null
                    || !SCOPES_OF_CALLERS.contains(registered.getClass().getName())) {
                return null;
            }
            found = scope;
        }
        return found;
    }

    /** Returns the type of a method's result, or {@code null} if the result has no value, neither immediately nor later. */
    private static @Nullable String result(RetriedMethod retried) {
        Method method = retried.method();
        if (KotlinDetector.isSuspendingFunction(method)) {
            Class<?> returned = new MethodParameter(method, -1).getParameterType();
            return returned == void.class ? null : returned.getSimpleName();
        }
        ResolvableType returned = ResolvableType.forMethodReturnType(method, retried.beanClass());
        boolean isWithoutValue = LATER.contains(returned.toClass().getName())
                ? returned.getGeneric().resolve() == Void.class
                : returned.toClass() == void.class;
        return isWithoutValue ? null : returned.toString();
    }

    private static boolean isAsync(RetriedMethod method) {
        return AnnotatedElementUtils.hasAnnotation(method.method(), Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.beanClass(), Async.class);
    }

    private void checkArguments(RetriedMethod method, StoredArguments arguments) {
        for (String fault : arguments.faults(method.beanClass(), method.method())) {
            refuse(method, fault);
        }
        for (String warning : arguments.warnings(method.beanClass(), method.method())) {
            faults.warn(RetryWarning.ARGUMENT, place(method) + ": " + warning);
        }
    }

    private void checkLane(RetriedMethod method, Set<String> known) {
        String lane = DurableGroup.lane(method);
        if (!known.contains(lane)) {
            faults.add(
                    method.settings().place(DurableGroup.LANE),
                    "durable.lane is '" + lane + "', but this lane does not exist; set retryon.durable.lanes." + lane
                            + ".threads, or use one of " + String.join(", ", known));
        }
    }

    private void checkStore(List<RetriedMethod> durable, DurableCalls calls) {
        if (faults.list().stream().anyMatch(fault -> fault.place().equals(Place.property(STORE)))) {
            return; // the application would use the default instead of the intended value
        }
        String right;
        RetryStore store;
        try {
            if (!(calls.transactions() instanceof RetryStore found)) {
                return; // calls in memory
            }
            store = found;
            right = store.missingRight(
                    RetryStore.CALLS, RetryStore.ORDERS, RetryStore.CHANGES, RetryStore.NODES, RetryStore.TASKS);
        } catch (RetryConfigurationException ex) {
            ex.faults().forEach(faults::add);
            return;
        } catch (NestedRuntimeException ex) {
            if (ex.getRootCause() instanceof RetryConfigurationException wrong) {
                wrong.faults().forEach(faults::add);
                return;
            }
            // JDBC classes are not referenced here, because this class is also loaded without JDBC.
            faults.add(
                    STORE, "selects a database that cannot be used; check its address and state: " + ex.getMessage());
            return;
        }
        if (right != null) {
            faults.add(STORE, "selects a database whose user lacks privileges that durable calls need: " + right);
            return;
        }
        if (store.joinsCallers() || calls.settings().outboxApart()) {
            return;
        }
        durable.stream()
                .filter(method -> isOutbox(method) || calls.settings().joinCallers())
                .forEach(method -> refuse(
                        method,
                        "calls are stored in " + store
                                + ", which does not take part in the application's transactions, so a call runs"
                                + " even if its caller's transaction is rolled back. Store calls in the database that"
                                + " the transactions use, or, if RetryOn does not find its PlatformTransactionManager,"
                                + " mark it with @RetryDataSource. If your application tolerates such calls, set"
                                + " retryon.durable.outbox-apart=true"
                                + (isOutbox(method) ? "" : ", or set retryon.durable.transaction=requires-new")));
    }

    private static boolean isOutbox(RetriedMethod method) {
        return DurableGroup.isOutbox(method);
    }
}
