// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.startup;

import dev.retryon.benchmarks.beans.BeanSet;
import dev.retryon.benchmarks.beans.GeneratedApplication;
import dev.retryon.benchmarks.beans.GeneratedBeans;
import dev.retryon.benchmarks.measure.SingleRun;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts one application in a new JVM. */
final class StartUp {

    /** The report: nanoseconds until the application has started, and the bytes of heap that are then in use. */
    static final Pattern REPORT = Pattern.compile("^started nanos=(\\d+) heap=(\\d+)$", Pattern.MULTILINE);

    private StartUp() {}

    /** Starts the application. The arguments are the name of a {@link BeanSet} and the number of its beans on the class path. */
    @SuppressWarnings("SystemOut") // read by the benchmark
    public static void main(String[] arguments) {
        BeanSet set = BeanSet.valueOf(arguments[0]);
        List<String> names = new GeneratedBeans(set, Integer.parseInt(arguments[1]), 1).names();
        long before = System.nanoTime();
        SpringApplication application = GeneratedApplication.prepare(set, names, StartUp.class.getClassLoader());
        try (ConfigurableApplicationContext context = application.run()) {
            long nanos = System.nanoTime() - before;
            GeneratedApplication.first(context, set, names);
            System.out.println("started nanos=" + nanos + " heap=" + SingleRun.usedHeap());
        }
    }
}
