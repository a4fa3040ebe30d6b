// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import java.io.PrintWriter;
import java.util.Arrays;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs test classes in a separate process. The last line of the output is like the one of Maven. */
final class JUnitRun {

    private JUnitRun() {}

    public static void main(String[] classes) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(Arrays.stream(classes)
                                        .map(DiscoverySelectors::selectClass)
                                        .toList())
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out));
        System.out.printf(
                "%n[INFO] Tests run: %d, Failures: %d, Errors: 0, Skipped: %d%n",
                summary.getTestsStartedCount(), summary.getTotalFailureCount(), summary.getTestsSkippedCount());
        System.exit(summary.getTotalFailureCount() == 0 ? 0 : 1);
    }
}
