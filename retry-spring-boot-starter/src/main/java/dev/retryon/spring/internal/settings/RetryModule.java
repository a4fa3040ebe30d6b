// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The modules that settings may need, so that a missing one is reported with the dependency to add. */
public enum RetryModule {
    DURABLE("retry-durable", "dev.retryon.durable.RetryDataSource", "durable", "deadletter", "jdbc"),

    HTTP("retry-http", "dev.retryon.http.autoconfigure.RetryHttpAutoConfiguration", "http"),

    ASPECTS("retry-aspects", "dev.retryon.aspects.RetryOnAspect");

    private final String artifact;

    private final String type;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
    private final List<String> blocks;

    private final boolean present;

    RetryModule(String artifact, String type, String... blocks) {
        this.artifact = artifact;
        this.type = type;
        this.blocks = List.of(blocks);
        this.present = ClassUtils.isPresent(type, RetryModule.class.getClassLoader());
    }

    /** Returns the module of a block of properties in lower case without dashes, for example {@code deadletter}. */
    public static @Nullable RetryModule ofBlock(String block) {
        return Arrays.stream(values())
                .filter(module -> module.blocks.contains(block))
                .findFirst()
                .orElse(null);
    }

    /** Returns the module of a block within a block of settings, such as {@code durable} in {@code retryon.defaults}. */
    public static @Nullable RetryModule ofGroup(String block) {
        return DURABLE.blocks.get(0).equals(block) ? DURABLE : null;
    }

    public boolean isPresent() {
        return present;
    }

    /** Returns the name of a class in the module. */
    public String type() {
        return type;
    }

    public String dependency() {
        return "dev.retryon:" + artifact;
    }
}
