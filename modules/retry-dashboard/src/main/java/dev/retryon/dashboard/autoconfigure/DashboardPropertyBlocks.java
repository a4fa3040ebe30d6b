// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard.autoconfigure;

import dev.retryon.spring.internal.settings.PropertyBlocks;
import java.util.Map;

/** Registers this module. It has no properties except those of its endpoint. */
final class DashboardPropertyBlocks implements PropertyBlocks {

    DashboardPropertyBlocks() {}

    @Override
    public Map<String, Class<?>> types() {
        return Map.of();
    }
}
