// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import dev.retryon.spring.internal.settings.PropertyBlocks;
import java.util.Map;

/** The properties of this module. */
final class HttpPropertyBlocks implements PropertyBlocks {

    HttpPropertyBlocks() {}

    @Override
    public Map<String, Class<?>> types() {
        return Map.of("http", RetryHttpProperties.class);
    }
}
