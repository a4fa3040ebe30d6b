/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import io.micrometer.core.instrument.Tag;

/**
 * Adds tags of the application's own to the meters that have a {@code name} tag: {@code retryon.calls}, {@code
 * retryon.retries}, {@code retryon.delay} and {@code retryon.waiting}. Any number of beans of this type may be defined; they
 * are asked in their {@link org.springframework.core.annotation.Order order}.
 *
 * <p>A contributor is asked once for each name, when the first meter of the name is made, and must give tags with the
 * same keys for every name: registries such as that of Prometheus refuse meters of one name whose keys differ. Values
 * must come from a small closed set, such as teams or tiers. The keys {@code name}, {@code outcome}, {@code reason} and
 * {@code exception} are ours; a contributed tag with such a key is ignored. A contributor that throws counts as one that
 * gives no tags for that name, and a warning is logged.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryTagsContributor {

    /**
     * The tags for what has a name.
     *
     * @param name the value of the {@code name} tag, such as {@code PaymentService.charge}
     * @return the tags, the same keys for every name; may be empty
     */
    Iterable<Tag> tags(String name);
}
