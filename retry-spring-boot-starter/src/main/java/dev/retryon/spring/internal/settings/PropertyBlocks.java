// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.spring.internal.report.RetryFaults;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * Properties below {@code retryon} that belong to another module. A module lists its implementation in {@code
 * META-INF/spring.factories}, so that the starter knows which properties exist and whether the module is on the class path.
 */
@FunctionalInterface
public interface PropertyBlocks {

    /** Replaces a number in a list that cannot be read, so that the numbers that follow are read too. */
    Integer UNREADABLE_NUMBER = Integer.MIN_VALUE;

    /** The types of the blocks of all modules on the class path, by name. */
    static Map<String, Class<?>> all() {
        Map<String, Class<?>> all = new TreeMap<>();
        ofModules().forEach(blocks -> all.putAll(blocks.types()));
        return all;
    }

    static List<PropertyBlocks> ofModules() {
        return SpringFactoriesLoader.forDefaultResourceLocation(PropertyBlocks.class.getClassLoader())
                .load(PropertyBlocks.class);
    }

    /**
     * The blocks of this module: JavaBean classes with a default constructor by the name of their block, for example {@code
     * dead-letter} for {@code retryon.dead-letter}; empty if the module has no properties.
     */
    Map<String, Class<?>> types();

    /** The names by which {@link RetryModule} finds the module: those of its blocks, unless it has none. */
    default Set<String> names() {
        return types().keySet();
    }

    @FunctionalInterface
    interface Checked {

        /**
         * Records each value that is out of bounds, and restores its default, which applies if {@code retryon.checks}
         * is {@code warn}.
         */
        void check(RetryFaults faults);
    }
}
