// SPDX-License-Identifier: Apache-2.0
package dev.retryon.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublicApiFormatTests {

    @Test
    void theListHasParentsAndProtectedMembersButNothingHidden() {
        String name = Open.class.getName();

        assertThat(PublicApi.signature(Open.class))
                .containsExactly(
                        "public abstract static class " + name + " implements java.lang.Runnable",
                        "  @Deprecated protected <T extends java.lang.Number> T " + name
                                + ".convert(T,java.util.List<? super T>) throws java.io.IOException",
                        "  protected " + name + "(int)",
                        "  public static final java.lang.String " + name + ".NAME");
    }

    /** An example. */
    public abstract static class Open implements Runnable {

        public static final String NAME = "open";

        final int hidden;

        protected Open(int hidden) {
            this.hidden = hidden;
        }

        @Deprecated
        protected <T extends Number> T convert(T value, List<? super T> others) throws IOException {
            return value;
        }

        abstract void alsoHidden();
    }
}
