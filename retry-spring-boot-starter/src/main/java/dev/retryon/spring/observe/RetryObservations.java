package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * Marks each retry as an event of the observation that is current where the call is made, so that a trace shows when a
 * request was slow because something was retried. The event's name is {@value #EVENT}, its contextual name tells the
 * retry's number, wait and error class.
 */
public class RetryObservations implements RetryListener {

    /** The name of the events. */
    public static final String EVENT = "retry";

    private final SingletonSupplier<ObservationRegistry> registry;

    /**
     * Creates the listener.
     *
     * @param registry the registry, looked up at the first retry; nothing is marked without a unique one
     */
    public RetryObservations(ObjectProvider<ObservationRegistry> registry) {
        this.registry = SingletonSupplier.ofNullable(registry::getIfUnique);
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (event instanceof RetryScheduled retry) {
            ObservationRegistry known = registry.get();
            Observation current = known == null ? null : known.getCurrentObservation();
            if (current != null && !current.isNoop()) {
                current.event(Observation.Event.of(EVENT, describe(retry)));
            }
        }
    }

    private static String describe(RetryScheduled retry) {
        Throwable error = retry.error();
        return retry.name() + ": retry " + retry.attempt() + " in " + ShortDuration.of(retry.delay()) + " after "
                + (error == null ? ExceptionNames.RESULT : ExceptionNames.simpleName(error.getClass()));
    }
}
