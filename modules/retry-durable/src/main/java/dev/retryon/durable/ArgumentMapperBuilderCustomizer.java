// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import tools.jackson.databind.json.JsonMapper;

/**
 * Customizes the mapper that converts the arguments of stored calls to JSON and back. This mapper is separate from the
 * mapper of the application's web pages. It reads and writes all fields of an object, whatever their visibility.
 * Modules that Jackson finds on the class path are already registered.
 *
 * <p>All beans of this type are applied in order, after RetryOn's own settings. The following bean registers a module:
 *
 * <pre>{@code
 * @Bean
 * ArgumentMapperBuilderCustomizer moneyInStoredCalls() {
 *     return builder -> builder.addModule(new MoneyModule());
 * }
 * }</pre>
 *
 * <p>Every argument is written, read back and compared before its call is stored. If a serializer writes a type in a
 * special form, also register a deserializer, and define {@code equals} in the type. Calls that are already stored must
 * remain readable.
 *
 * <p>Do not enable default typing, and do not replace the annotation introspector, because a stored text must not
 * choose the classes that are loaded.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ArgumentMapperBuilderCustomizer {

    /**
     * Customizes the mapper that stores and reads arguments.
     *
     * @param builder the builder of the mapper, with RetryOn's settings
     */
    void customize(JsonMapper.Builder builder);
}
