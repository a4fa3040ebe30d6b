// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The file of the embedded store has arguments of calls in it. */
class EmbeddedFileTests {

    @TempDir
    private Path folder;

    static class Mails {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {}
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "files have no such rights there")
    void onlyItsOwnerMayReadTheFileAndTheLogsBesideIt() {
        DurableTrial.embedded(folder).withBean(Mails.class).run(context -> {
            context.getBean(Mails.class).send();
            List<Path> files;
            try (Stream<Path> found = Files.list(folder)) {
                files = found.toList();
            }
            assertThat(files).hasSizeGreaterThanOrEqualTo(2);
            for (Path file : files) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .as(file.toString())
                        .isEqualTo("rw-------");
            }
        });
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "files have no such rights there")
    void aFileThatIsThereKeepsItsRights() throws IOException {
        Path file = Files.createFile(folder.resolve("calls.db"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        DurableTrial.embedded(folder).withBean(Mails.class).run(context -> {
            context.getBean(Mails.class).send();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-rw----");
        });
    }
}
