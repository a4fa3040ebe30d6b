// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import io.micrometer.core.instrument.Tag;

/**
 * Adds your tags to five meters that have a {@code name} tag: {@code retryon.calls}, {@code retryon.retries}, {@code
 * retryon.delay}, {@code retryon.waiting} and {@code retryon.deadletters.stored}. Define any number of beans of this type;
 * they are called in their {@link org.springframework.core.annotation.Order order}.
 *
 * <pre>{@code
 * RetryTagsContributor team = name -> List.of(Tag.of("team", teams.ownerOf(name)));
 * }</pre>
 *
 * <p>A contributor is called once for each name, when the first meter of that name is registered.
 *
 * <ul>
 *   <li>Return tags with the same keys for every name, because registries such as Prometheus reject meters with different
 *       keys.
 *   <li>Take values from a small closed set, such as teams or tiers.
 *   <li>The keys {@code name}, {@code outcome}, {@code reason} and {@code exception} are reserved. A contributed tag with a
 *       reserved key is ignored.
 *   <li>If a contributor throws an exception, the meters of that name get no tags from it, and a warning is logged.
 * </ul>
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryTagsContributor {

    /**
     * Returns the tags for a name.
     *
     * @param name the value of the {@code name} tag, such as {@code PaymentService.charge}
     * @return the tags, with the same keys for every name; can be empty
     */
    Iterable<Tag> tags(String name);
}
