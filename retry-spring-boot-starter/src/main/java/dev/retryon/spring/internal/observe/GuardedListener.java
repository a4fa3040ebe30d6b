// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.spring.internal.report.ExtensionErrors;
import org.springframework.util.ClassUtils;

/** Counts failures of a listener and logs the first one; calls continue. */
final class GuardedListener implements RetryListener {

    private final RetryListener listener;

    private final ExtensionErrors faults;

    GuardedListener(RetryListener listener, ExtensionErrors faults) {
        this.listener = listener;
        this.faults = faults;
    }

    @Override
    public void onEvent(RetryEvent event) {
        try {
            listener.onEvent(event);
        } catch (Throwable ex) {
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            faults.report(
                    listener instanceof TelemetryListener ours
                            ? ours.faultKind()
                            : ExtensionErrorListener.Kind.LISTENER,
                    event.name(),
                    "the retry listener " + ClassUtils.getUserClass(listener).getName() + " failed; the call continues",
                    ex);
        }
    }
}
