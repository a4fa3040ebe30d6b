/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The modules that settings may need, so that a missing one is reported with the dependency to add. */
public enum RetryModule {

    /** Durable calls and dead letters. */
    DURABLE("retry-durable", "durable", "dead-letter", "jdbc"),

    /** Retries of HTTP clients. */
    HTTP("retry-http", "http"),

    /** AspectJ mode. */
    ASPECTS("retry-aspects", "aspectj-mode");

    /** Loaded once, because it is asked for each durable method. */
    private static final Set<String> PRESENT = PropertyBlocks.ofModules().stream()
            .flatMap(blocks -> blocks.names().stream())
            .collect(Collectors.toUnmodifiableSet());

    private final String artifact;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
    private final List<String> blocks;

    RetryModule(String artifact, String... blocks) {
        this.artifact = artifact;
        this.blocks = List.of(blocks);
    }

    /**
     * Finds the module that a block of properties belongs to.
     *
     * @param block its name in lower case without dashes, for example {@code deadletter}
     * @return the module; {@code null} if the block belongs to none of them
     */
    public static @Nullable RetryModule ofBlock(String block) {
        return Arrays.stream(values())
                .filter(module -> module.blocks.stream()
                        .anyMatch(name -> name.replace("-", "").equals(block)))
                .findFirst()
                .orElse(null);
    }

    /** Whether the module is on the class path. */
    public boolean isPresent() {
        return PRESENT.stream().anyMatch(blocks::contains);
    }

    /** The dependency to add: group and artifact, such as {@code dev.retryon:retry-durable}. */
    public String dependency() {
        return "dev.retryon:" + artifact;
    }
}
