/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What users may type is recorded in a file, so that a change of it is seen in a review. */
class PublicApiTests {

    private static final Path RECORDED = Path.of("src/test/resources/dev/retryon/public-api.txt");

    /** Types that are public only so that frameworks which intercept calls reach them. */
    @Test
    void thePublicApiIsTheRecordedOne() throws Exception {
        List<String> actual = PublicApi.list(
                Path.of(Retry.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI()),
                List.of());
        if (Boolean.getBoolean("retryon.record-api")) {
            Files.createDirectories(RECORDED.getParent());
            Files.write(RECORDED, actual);
        }

        assertThat(actual)
                .as(
                        "The public API has changed. If that is intended, run this test once with"
                                + " -Dretryon.record-api=true, look at the difference of %s, and commit it with a line"
                                + " in CHANGELOG.md.",
                        RECORDED)
                .containsExactlyElementsOf(Files.readAllLines(RECORDED));
    }

    @Test
    void theListHasProtectedMembersButNothingHidden() throws Exception {
        Path classes = Path.of(PublicApiTests.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());

        assertThat(PublicApi.list(classes, List.of())).noneMatch(line -> line.contains("PublicApiTests"));
        assertThat(PublicApi.lines(Open.class))
                .containsExactly(
                        "public abstract class dev.retryon.PublicApiTests$Open implements java.lang.Runnable",
                        "  dev.retryon.PublicApiTests$Open: protected <T extends java.lang.Number> T convert(T, java.util.List<? super T>) throws java.io.IOException",
                        "  dev.retryon.PublicApiTests$Open: protected dev.retryon.PublicApiTests$Open(int)",
                        "  dev.retryon.PublicApiTests$Open: public static final java.lang.String NAME");
    }

    /** An example. */
    public abstract static class Open implements Runnable {

        public static final String NAME = "open";

        final int hidden;

        protected Open(int hidden) {
            this.hidden = hidden;
        }

        @SuppressWarnings("unused") // listed
        protected <T extends Number> T convert(T value, List<? super T> others) throws java.io.IOException {
            return value;
        }

        abstract void alsoHidden();
    }
}
