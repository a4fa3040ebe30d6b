// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.call.StoredCallFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Native images need the scripts that create the tables, and the record that Jackson maps stored calls to. */
final class DurableRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/retryon/durable/store/schema-*.sql");
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(hints.reflection(), StoredCallFormat.mappedTypes());
    }
}
