// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The modules that settings may need, so that a missing one is reported with the dependency to add. */
public enum RetryModule {
    DURABLE("retry-durable", "durable", "dead-letter", "jdbc"),

    HTTP("retry-http", "http"),

    ASPECTS("retry-aspects", "aspectj-mode");

    /** Loaded once, because each durable method needs it. */
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
     * The module that a block of properties belongs to, by its name in lower case without dashes, for example {@code
     * deadletter}.
     */
    public static @Nullable RetryModule ofBlock(String block) {
        return Arrays.stream(values())
                .filter(module -> module.blocks.stream()
                        .anyMatch(name -> name.replace("-", "").equals(block)))
                .findFirst()
                .orElse(null);
    }

    public boolean isPresent() {
        return PRESENT.stream().anyMatch(blocks::contains);
    }

    /** Group and artifact, such as {@code dev.retryon:retry-durable}. */
    public String dependency() {
        return "dev.retryon:" + artifact;
    }
}
