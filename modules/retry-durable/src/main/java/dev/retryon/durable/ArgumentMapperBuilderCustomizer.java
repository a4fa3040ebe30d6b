// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import tools.jackson.databind.json.JsonMapper;

/**
 * Customizes the mapper that converts arguments of calls to JSON and back, so that calls can be stored. This mapper is not that
 * of the application's web pages. It reads and writes all fields of an object, whatever their access. Modules that Jackson
 * finds on the class path are registered already.
 *
 * <p>All beans of this type are applied in their order, after RetryOn's own settings. For example, register a module:
 *
 * <pre>{@code
 * @Bean
 * ArgumentMapperBuilderCustomizer moneyInStoredCalls() {
 *     return builder -> builder.addModule(new MoneyModule());
 * }
 * }</pre>
 *
 * <p>Every argument is written, read and compared before its call is stored. If a serializer writes a type in a special
 * form, also register a deserializer, and let the type define {@code equals}. Calls that are already stored must remain
 * readable.
 *
 * <p>Do not enable default typing, and do not replace the annotation introspector: a stored text must not choose the classes
 * that are loaded.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ArgumentMapperBuilderCustomizer {

    /**
     * Customizes the mapper.
     *
     * @param builder the builder of the mapper, with RetryOn's settings
     */
    void customize(JsonMapper.Builder builder);
}
