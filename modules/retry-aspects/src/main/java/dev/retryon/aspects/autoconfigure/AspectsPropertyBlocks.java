// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects.autoconfigure;

import dev.retryon.spring.internal.settings.PropertyBlocks;
import java.util.Map;
import java.util.Set;

/** Registers this module. Its only property, {@code retryon.mode}, is one of the starter. */
final class AspectsPropertyBlocks implements PropertyBlocks {

    AspectsPropertyBlocks() {}

    @Override
    public Map<String, Class<?>> types() {
        return Map.of();
    }

    @Override
    public Set<String> names() {
        return Set.of("aspectj-mode");
    }
}
