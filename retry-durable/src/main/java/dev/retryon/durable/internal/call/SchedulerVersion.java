/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

final class SchedulerVersion {

    /** The lowest version that has all methods that durable calls use. */
    static final String LOWEST = "16.12.0";

    private static final String RESOURCE = "META-INF/maven/com.github.kagkarlsson/db-scheduler/pom.properties";

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

    private static final int MAJOR = 16;

    private static final int MINOR = 12;

    private SchedulerVersion() {}

    /** Returns the version if it is too old; {@code null} if it is not, or if the library does not have it. */
    static @Nullable String tooOld(@Nullable ClassLoader classLoader) {
        ClassLoader loader = classLoader == null ? ClassUtils.getDefaultClassLoader() : classLoader;
        if (loader == null) {
            return null;
        }
        try (InputStream resource = loader.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                return null;
            }
            Properties properties = new Properties();
            properties.load(resource);
            String version = properties.getProperty("version", "");
            return isTooOld(version) ? version : null;
        } catch (IOException | IllegalArgumentException ex) {
            return null;
        }
    }

    private static boolean isTooOld(String version) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            return false;
        }
        int major = Integer.parseInt(matcher.group(1));
        return major < MAJOR || (major == MAJOR && Integer.parseInt(matcher.group(2)) < MINOR);
    }
}
