package dev.retryon;

import java.util.ArrayList;
import java.util.List;

/** An error and its causes, the nearest first, and what their classes tell. Made once a failure. */
final class ErrorChain {

    /** Of an attempt that returned a value which is to be retried. */
    static final ErrorChain NONE = new ErrorChain();

    private static final ClassValue<Traits> TRAITS = new ClassValue<>() {
        @Override
        protected Traits computeValue(Class<?> type) {
            return new Traits(RetryHint.class.isAssignableFrom(type), type.isAnnotationPresent(DoNotRetry.class));
        }
    };

    private final Throwable[] errors;

    private final boolean hinted;

    private final boolean marked;

    private ErrorChain(Throwable... errors) {
        boolean anyHinted = false;
        boolean anyMarked = false;
        for (Throwable error : errors) {
            // An instanceof that says no, of an interface, would take longer, and be asked several times.
            Traits traits = TRAITS.get(error.getClass());
            anyHinted |= traits.hinted;
            anyMarked |= traits.marked;
        }
        this.errors = errors;
        this.hinted = anyHinted;
        this.marked = anyMarked;
    }

    /**
     * An error and its causes. Read once, because {@code getCause} takes the error's lock, some 11 to 20 ns each time; what
     * is asked of the error goes over this.
     */
    static ErrorChain of(Throwable error) {
        Throwable cause = Causes.of(error);
        return cause == null ? new ErrorChain(error) : of(error, cause);
    }

    private static ErrorChain of(Throwable error, Throwable cause) {
        List<Throwable> chain = new ArrayList<>();
        chain.add(error);
        // In a cycle the chain is sooner or later at the error that stands halfway up; elsewhere it never is.
        for (Throwable next = cause; next != null && next != chain.get(chain.size() / 2); next = Causes.of(next)) {
            chain.add(next);
        }
        return new ErrorChain(chain.toArray(Throwable[]::new));
    }

    /** The error and its causes; not to be changed. */
    Throwable[] errors() {
        return errors;
    }

    /** Whether one of them is a {@link RetryHint}. */
    boolean isHinted() {
        return hinted;
    }

    /** Whether one of them must not be retried, by its class. */
    boolean isMarked() {
        return marked;
    }

    private record Traits(boolean hinted, boolean marked) {}
}
