// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.Objects;
import org.junit.jupiter.api.Assumptions;

/** The MySQL server at the URL in the variable {@code RETRYON_MYSQL}. Without the variable, tests are skipped. */
public final class TestMySql {

    private static final String URL = Objects.requireNonNullElse(System.getenv("RETRYON_MYSQL"), "");

    /** The server is in another time zone than the applications, and asks for no certificates. */
    private static final ServerAtUrl SERVER =
            new ServerAtUrl(URL, "sessionVariables=time_zone='-05:30'&allowPublicKeyRetrieval=true&sslMode=DISABLED");

    private TestMySql() {}

    /** The URL of a new database without tables; it names user and password. */
    public static String database() {
        Assumptions.assumeTrue(
                URL.startsWith("jdbc:mysql:"),
                "MySQL is not tested here, because the variable RETRYON_MYSQL has no URL jdbc:mysql://…");
        return SERVER.database();
    }

    /** The URL of a database for a user with some rights there and none on the server. */
    static String ofApplication(String url, String rights) {
        return SERVER.ofApplication(url, rights);
    }

    /** Changes settings of the server while no other JVM does. */
    static void alone(Runnable work) {
        SERVER.alone(work);
    }
}
