// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The length of the tests, and their figures. */
public final class Endurance {

    private static final Path FOLDER = Path.of("target", "endurance");

    private Endurance() {}

    /** Returns the length of one soak or outage: {@code -Dendurance.seconds}, or the seconds that fit into a build. */
    public static int seconds(int inABuild) {
        return Integer.getInteger("endurance.seconds", inABuild);
    }

    /** Lets time pass while other threads and processes work. Their work cannot end earlier, so no condition would. */
    public static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long rest = time.toNanos(); rest > 0; rest = end - System.nanoTime()) {
            LockSupport.parkNanos(rest);
        }
    }

    /** Prints the figures of a test and writes them to a file in {@code target/endurance}. */
    @SuppressWarnings("SystemOut") // the output of the test
    public static void report(String name, List<String> lines) throws IOException {
        lines.forEach(System.out::println);
        Files.createDirectories(FOLDER);
        Files.write(FOLDER.resolve(name + ".txt"), lines);
    }
}
