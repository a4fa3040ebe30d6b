// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.spring.internal.settings.PropertyBlocks;
import java.util.Map;

/** The properties of this module. */
final class DurablePropertyBlocks implements PropertyBlocks {

    DurablePropertyBlocks() {}

    @Override
    public Map<String, Class<?>> types() {
        return Map.of(
                "durable", RetryDurableProperties.class,
                "dead-letter", RetryDeadLetterProperties.class,
                "jdbc", RetryJdbcProperties.class);
    }
}
