// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.CallState;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.internal.call.StoredCallFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

class DurableRuntimeHintsTests {

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariadb", "mysql", "postgresql", "sqlite"})
    void nativeImagesHaveTheScriptsThatCreateTheTables(String database) {
        assertThat(hints())
                .matches(RuntimeHintsPredicates.resource()
                        .forResource("dev/retryon/durable/store/schema-" + database + ".sql"));
    }

    @Test
    void nativeImagesCanMapStoredCalls() {
        RuntimeHints hints = hints();

        assertThat(StoredCallFormat.mappedTypes()).isNotEmpty();
        assertThat(Stream.concat(
                        Stream.of(StoredCallFormat.mappedTypes()),
                        Stream.of(CallState.Failed.class, StoredCall.Failure.class, StoredCall.Action.class)))
                .allSatisfy(type -> assertThat(hints)
                        .matches(RuntimeHintsPredicates.reflection()
                                .onType(type)
                                .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)));
    }

    private static RuntimeHints hints() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .forEach(registrar -> registrar.registerHints(hints, null));
        return hints;
    }
}
