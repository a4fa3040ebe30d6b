// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.StoredCall;
import dev.retryon.durable.internal.call.StoredCallFormat;
import dev.retryon.durable.internal.engine.BulkTask;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Native images need the scripts that create the tables, and the records that Jackson maps stored calls to. */
final class DurableRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/retryon/durable/store/schema-*.sql");
        BindingReflectionHintsRegistrar mapped = new BindingReflectionHintsRegistrar();
        mapped.registerReflectionHints(hints.reflection(), StoredCallFormat.mappedTypes());
        mapped.registerReflectionHints(
                hints.reflection(),
                StoredCall.Failure.class,
                StoredCall.Action.class,
                BulkTask.class,
                BulkTask.Progress.class);
    }
}
