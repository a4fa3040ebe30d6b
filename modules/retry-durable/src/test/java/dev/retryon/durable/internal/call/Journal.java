// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What several processes have done, in one file. A line is written by one call of the operating system at the end of the file:
 * it is there however the process ends afterwards. A reader might see a part of a line that is being written, and a process might
 * be killed in the middle of it: a line counts once its end mark is there, and each begins on a new line of the file.
 */
final class Journal {

    private static final String END = " .";

    private final String process;

    private final Path file;

    private final FileChannel channel;

    Journal(Path file, String process) {
        this.file = file;
        this.process = process;
        try {
            this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Lets go those who wait in any process. */
    void go() {
        try {
            Files.createFile(goFile());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    void awaitGo() {
        DurableTrial.await().atMost(Duration.ofMinutes(10)).until(() -> Files.exists(goFile()));
    }

    private Path goFile() {
        return file.resolveSibling("go");
    }

    String process() {
        return process;
    }

    void write(Event event, String order, String callId, int attempt) {
        String line = String.join(" ", event.name(), process, order, callId, String.valueOf(attempt)) + END;
        try {
            channel.write(ByteBuffer.wrap(("\n" + line).getBytes(StandardCharsets.UTF_8)));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    void write(Event event, String order) {
        write(event, order, "-", 0);
    }

    /** All lines so far, of all processes. */
    List<Line> lines() {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.endsWith(END))
                    .map(Line::of)
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    List<Line> lines(Event event) {
        return lines().stream().filter(line -> line.event() == event).toList();
    }

    enum Event {
        /** The caller has got its answer, without an error. */
        ACCEPTED,
        /** The caller has got an error. */
        REFUSED,
        /** The transaction of the caller is committed. */
        COMMITTED,
        /** The transaction of the caller is rolled back. */
        ROLLED_BACK,
        /** An attempt begins. */
        ATTEMPT,
        /** An attempt has done what it is for, and ends at once. */
        EFFECT,
        /** An attempt has seen that its hold stands. */
        HOLDS,
        /** An attempt has seen that its hold has lapsed. */
        LAPSED
    }

    record Line(Event event, String process, String order, String callId, int attempt) {

        private static Line of(String text) {
            List<String> parts = Arrays.asList(text.split(" "));
            return new Line(
                    Event.valueOf(parts.get(0)),
                    parts.get(1),
                    parts.get(2),
                    parts.get(3),
                    Integer.parseInt(parts.get(4)));
        }
    }
}
