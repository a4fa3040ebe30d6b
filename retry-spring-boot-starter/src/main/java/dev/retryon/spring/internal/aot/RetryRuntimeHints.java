// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aot;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.OnError;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.settings.BuiltInPolicies;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.internal.settings.StandardHints;
import dev.retryon.spring.module.SettingGroup;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Registers the annotations, and the types that are looked up by name, for native images. */
final class RetryRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        Stream.concat(
                        Stream.of(RetryOn.class, RetryOn.List.class, OnError.class, DoNotRetry.class),
                        SettingGroup.all().stream().map(SettingGroup::annotation))
                .forEach(annotation -> {
                    hints.reflection().registerType(annotation, MemberCategory.INVOKE_DECLARED_METHODS);
                    hints.proxies().registerJdkProxy(annotation);
                });
        for (String looked : BuiltInPolicies.OPTIONAL_TYPES) {
            hints.reflection().registerTypeIfPresent(classLoader, looked);
        }
        for (RetryModule module : RetryModule.values()) {
            hints.reflection().registerTypeIfPresent(classLoader, module.type());
        }
        for (String looked : StandardHints.OPTIONAL_TYPES) {
            hints.reflection().registerTypeIfPresent(classLoader, looked);
        }
    }
}
