// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorExpressionTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "message.contains('message') | #error.message.contains('message')",
                "getMessage() == 'it''s late' | #error.getMessage() == 'it''s late'",
                "#{message == null} | #error.message == null",
                "@gate.open(#root) | @gate.open(#error)",
                "@gate.open(#this, message) | @gate.open(#error, #error.message)",
                "not (cause instanceof T(java.io.IOException)) and true | "
                        + "not (#error.cause instanceof T(java.io.IOException)) and true",
                "statusCode . value() >= 500 | #error.statusCode . value() >= 500",
                "message matches '${pattern:x}' | #error.message matches '${pattern:x}'",
                "${limit} > statusCode | ${limit} > #error.statusCode",
                "new java.util.Date(time) != null | new java.util.Date(#error.time) != null",
            })
    void namesTheError(String theirs, String ours) {
        assertThat(ErrorExpression.translate(theirs)).isEqualTo(ours);
    }

    @ParameterizedTest
    @ValueSource(strings = {"suppressed.?[message != null]", "{1, 2}.contains(code)", "'a' + #{message}"})
    void givesUpWhereTheRootChanges(String theirs) {
        assertThat(ErrorExpression.translate(theirs)).isNull();
    }
}
