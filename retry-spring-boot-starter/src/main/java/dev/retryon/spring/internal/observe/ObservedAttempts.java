// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.spring.internal.policy.AttemptObserver;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.LookUp;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;

/**
 * Gives each attempt an observation, which is a child of the observation that is current where the attempt starts. It
 * ends with the stage or the publisher that the method has returned. A result of any other type cannot be watched, so
 * its observation ends when the method returns.
 */
public final class ObservedAttempts implements AttemptObserver {

    private static final boolean REACTIVE =
            ClassUtils.isPresent("reactor.core.publisher.Mono", ObservedAttempts.class.getClassLoader());

    private final LookUp<Optional<ObservationRegistry>> registry;

    private final ExtensionErrors faults;

    /** Without a unique registry, attempts are not observed. */
    public ObservedAttempts(ObjectProvider<ObservationRegistry> registry, ExtensionErrors faults) {
        this.registry = new LookUp<>(() -> Optional.ofNullable(registry.getIfUnique()));
        this.faults = faults;
    }

    @Override
    public @Nullable Object observe(RetriedMethod method, int number, boolean later, Attempt attempt) throws Throwable {
        ObservedAttempt observed = start(method, number);
        if (observed == null) {
            return attempt.run();
        }
        Object returned;
        try {
            returned = attempt.run();
        } catch (Throwable ex) {
            observed.leave();
            observed.end(ex);
            throw ex;
        }
        observed.leave();
        Object watched =
                later && returned != null ? watched(returned, method.method().getReturnType(), observed) : null;
        if (watched != null) {
            return watched;
        }
        observed.end(null);
        return returned;
    }

    private @Nullable ObservedAttempt start(RetriedMethod method, int number) {
        try {
            ObservationRegistry known = registry.get().orElse(null);
            return known == null || known.isNoop() ? null : new ObservedAttempt(known, method, number, faults);
        } catch (Throwable ex) {
            ObservedAttempt.report(faults, method.name(), ex);
            return null;
        }
    }

    /** Returns a result that ends the observation when it completes; {@code null} if the type does not allow that. */
    private static @Nullable Object watched(Object returned, Class<?> type, ObservedAttempt observed) {
        if (returned instanceof CompletionStage<?> stage) {
            return type.isAssignableFrom(ObservedStage.class) ? ObservedStage.of(stage, observed) : null;
        }
        return REACTIVE ? ObservedPublisher.of(returned, type, observed) : null;
    }
}
