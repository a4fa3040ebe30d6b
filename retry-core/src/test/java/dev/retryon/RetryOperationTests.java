// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What frameworks may do around the attempts after the first of a blocking call. */
class RetryOperationTests {

    private final List<String> done = new ArrayList<>();

    private final Retry retry = Retry.builder(
                    "op", Trial.policy().maxAttempts(3).build())
            .engine(new VirtualTime().engine().build())
            .build();

    @Test
    void aCallThatSucceedsAtOnceHasNoRetries() throws Throwable {
        assertThat(retry.call("subject", new Prepared(0))).isEqualTo("subject");
        assertThat(done).containsExactly("first 1");
    }

    @Test
    void retriesArePreparedOnceAndEndedOnce() throws Throwable {
        assertThat(retry.call("subject", new Prepared(2))).isEqualTo("subject");
        assertThat(done).containsExactly("first 1", "prepared subject", "later 2", "later 3", "ended");
    }

    @Test
    void retriesAreEndedWhenTheCallFails() {
        assertThatThrownBy(() -> retry.call("subject", new Prepared(9))).isInstanceOf(IOException.class);
        assertThat(done).containsExactly("first 1", "prepared subject", "later 2", "later 3", "ended");
    }

    @Test
    void whatIsNotRetriedIsNotPrepared() {
        RetryOperation<String, String> refused = new Prepared(0) {

            @Override
            public String run(String subject, int attempt) {
                throw new IllegalArgumentException(subject);
            }
        };
        assertThatThrownBy(() -> retry.call("subject", refused)).isInstanceOf(IllegalArgumentException.class);
        assertThat(done).isEmpty();
    }

    private class Prepared implements PreparedOperation<String, String> {

        private final int failures;

        private Prepared(int failures) {
            this.failures = failures;
        }

        @Override
        public String run(String subject, int attempt) throws Exception {
            return outcome("first", subject, attempt);
        }

        private String outcome(String who, String subject, int attempt) throws IOException {
            done.add(who + " " + attempt);
            if (attempt <= failures) {
                throw new IOException("attempt " + attempt);
            }
            return subject;
        }

        @Override
        public PreparedOperation<String, String> retries(String about, int maxAttempts) {
            done.add("prepared " + about);
            return new PreparedOperation<>() {

                @Override
                public String run(String subject, int attempt) throws Exception {
                    return outcome("later", subject, attempt);
                }

                @Override
                public void end() {
                    done.add("ended");
                }
            };
        }
    }
}
