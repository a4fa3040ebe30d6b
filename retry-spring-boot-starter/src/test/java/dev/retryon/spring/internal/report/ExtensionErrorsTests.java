// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExtensionErrorListener.Source;
import dev.retryon.spring.internal.report.ExtensionErrors.Kind;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExtensionErrorsTests {

    /** The core may learn a source that nobody has thought of here. */
    @ParameterizedTest
    @EnumSource
    void everySourceOfTheCoreIsCountedAsAKindOfItsOwn(Source source) {
        ExtensionErrors faults = new ExtensionErrors();

        faults.onError(source, "mails", "something failed", new IOException("down"));

        for (Kind kind : Kind.values()) {
            boolean same = kind.name().equals(source.name());
            assertThat(faults.count(kind, "mails")).as(kind.name()).isEqualTo(same ? 1 : 0);
        }
    }
}
