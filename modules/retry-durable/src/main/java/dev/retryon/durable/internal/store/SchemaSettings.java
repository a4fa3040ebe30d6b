// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.durable.internal.invocation.MethodHash;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the tables are created, and whose rows are used.
 *
 * @param platform the value of {@code @@platform@@}; {@code null} for the detected database
 * @param application the name of the application, which is stored in its rows; {@code null} or blank for {@value #UNNAMED}
 */
public record SchemaSettings(
        Mode mode,
        String script,
        @Nullable String platform,
        boolean continueOnError,
        @Nullable String application) {

    /** Whether the tables are created: {@code retryon.jdbc.initialize-schema}. */
    public enum Mode {
        /** Only in an in-memory database. */
        EMBEDDED,

        ALWAYS,

        /** By another tool, such as Flyway or Liquibase. */
        NEVER
    }

    public static final String DEFAULT_SCRIPT = "classpath:dev/retryon/durable/store/schema-@@platform@@.sql";

    public static final String UNNAMED = "retryon";

    private static final int LONGEST = 60;

    private static final Pattern UNUSUAL = Pattern.compile("[^A-Za-z0-9._-]");

    /**
     * Returns the application's name as it is stored in rows. A name that is long, or has unusual characters, is
     * shortened and followed by a {@code #} and a hash. The result fits the column, needs no quoting in SQL, and stays
     * different from other names.
     */
    String applicationKey() {
        if (application == null || application.isBlank()) {
            return UNNAMED;
        }
        String usual = UNUSUAL.matcher(application).replaceAll("_");
        if (usual.equals(application) && usual.length() <= LONGEST) {
            return usual;
        }
        return usual.substring(0, Math.min(usual.length(), LONGEST)) + '#' + MethodHash.hash(application, 8);
    }

    String scriptFor(Database database) {
        return script.replace("@@platform@@", platform == null ? database.platform() : platform);
    }
}
