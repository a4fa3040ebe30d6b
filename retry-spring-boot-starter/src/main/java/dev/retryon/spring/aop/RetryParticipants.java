package dev.retryon.spring.aop;

import dev.retryon.ErrorCodeResolver;
import dev.retryon.RetryAfterResolver;
import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * The beans that have a say in retries, looked up at the first failure: advice that needed them at once would drag them,
 * and all they depend on, into being before they could be proxied.
 */
public final class RetryParticipants implements RetryListener, RetryDecider, ErrorCodeResolver, RetryAfterResolver {

    private final Supplier<List<RetryListener>> listeners;

    private final Supplier<List<RetryDecider>> deciders;

    private final Supplier<List<ErrorCodeResolver>> resolvers;

    private final Supplier<List<RetryAfterResolver>> waitResolvers;

    /**
     * Creates the participants.
     *
     * @param listeners the application's listeners
     * @param deciders the application's deciders
     * @param resolvers the application's sources of error codes
     * @param waitResolvers the application's sources of waits that errors want
     */
    public RetryParticipants(
            ObjectProvider<RetryListener> listeners,
            ObjectProvider<RetryDecider> deciders,
            ObjectProvider<ErrorCodeResolver> resolvers,
            ObjectProvider<RetryAfterResolver> waitResolvers) {
        this.listeners = SingletonSupplier.of(() -> listeners.orderedStream().toList());
        this.deciders = SingletonSupplier.of(() -> deciders.orderedStream().toList());
        this.resolvers = SingletonSupplier.of(() -> resolvers.orderedStream().toList());
        this.waitResolvers =
                SingletonSupplier.of(() -> waitResolvers.orderedStream().toList());
    }

    @Override
    public void onEvent(RetryEvent event) {
        IllegalStateException failures = null;
        for (RetryListener listener : listeners.get()) {
            try {
                if (listener.wants(event.getClass())) {
                    listener.onEvent(event);
                }
            } catch (Throwable ex) {
                // The others are still told; the engine logs it.
                failures = failures == null ? new IllegalStateException("listeners failed") : failures;
                failures.addSuppressed(ex);
            }
        }
        if (failures != null) {
            throw failures;
        }
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        List<RetryListener> all = listeners.get();
        for (int i = 0; i < all.size(); i++) {
            if (isWanted(all.get(i), type)) {
                return true;
            }
        }
        return false;
    }

    /** A listener that fails here is told, fails there too, and is logged. */
    private static boolean isWanted(RetryListener listener, Class<? extends RetryEvent> type) {
        try {
            return listener.wants(type);
        } catch (Throwable ex) {
            return true;
        }
    }

    @Override
    public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
        for (RetryDecider decider : deciders.get()) {
            if (!decider.shouldRetry(context, error)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Duration delay(RetryContext context, @Nullable Throwable error) {
        for (RetryDecider decider : deciders.get()) {
            Duration delay = decider.delay(context, error);
            if (delay != null && !delay.isZero() && !delay.isNegative()) {
                return delay;
            }
        }
        return Duration.ZERO;
    }

    @Override
    public @Nullable String resolve(Throwable error) {
        for (ErrorCodeResolver resolver : resolvers.get()) {
            String code = resolver.resolve(error);
            if (code != null) {
                return code;
            }
        }
        return null;
    }

    @Override
    public @Nullable Duration retryAfter(Throwable error) {
        for (RetryAfterResolver resolver : waitResolvers.get()) {
            Duration wait = resolver.retryAfter(error);
            if (wait != null && !wait.isNegative()) {
                return wait;
            }
        }
        return null;
    }
}
