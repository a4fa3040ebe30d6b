/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the public types of the starter with a list that is checked in, so that a change of the API is seen. Types for
 * users are listed with their members, types that are public for other packages of the starter by name alone. A change
 * that is meant is made by copying {@code target/public-api.txt} over the list.
 */
class PublicApiTests {

    private static final String ROOT = "dev.retryon.spring";

    /** What users type, besides everything in the root package. */
    private static final Set<String> FOR_USERS = Set.of(
            ROOT + ".autoconfigure.RetryAutoConfiguration",
            ROOT + ".autoconfigure.RetryDashboardAutoConfiguration",
            ROOT + ".autoconfigure.RetryDeadLetterAutoConfiguration",
            ROOT + ".autoconfigure.RetryDurableAutoConfiguration",
            ROOT + ".autoconfigure.RetryEndpointAutoConfiguration",
            ROOT + ".autoconfigure.RetryHealthAutoConfiguration",
            ROOT + ".autoconfigure.RetryHttpAutoConfiguration",
            ROOT + ".autoconfigure.RetryMetricsAutoConfiguration",
            ROOT + ".autoconfigure.RetryStoreAutoConfiguration",
            ROOT + ".autoconfigure.RetryTelemetryAutoConfiguration",
            ROOT + ".codec.Codec",
            ROOT + ".codec.CodecException",
            ROOT + ".durable.CallEngine",
            ROOT + ".durable.CallLease",
            ROOT + ".durable.LeaseExpiredException",
            ROOT + ".durable.LeaseLostException",
            ROOT + ".http.HttpRetry",
            ROOT + ".http.RetryClientHttpRequestInterceptor",
            ROOT + ".http.RetryExchangeFilterFunction",
            ROOT + ".http.RetryableResponseException",
            ROOT + ".observe.RetryObservationEvent",
            ROOT + ".observe.RetryTagsContributor",
            ROOT + ".settings.Place",
            ROOT + ".settings.RetryConfigurationException",
            ROOT + ".settings.RetryFault",
            ROOT + ".settings.RetrySettings",
            ROOT + ".style.ReturnStyle");

    private static final Path LIST = Path.of("src", "test", "resources", "public-api.txt");

    @Test
    void thePublicApiIsAsListed() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Class<?> type : publicTypes()) {
            lines.addAll(isForUsers(type) ? signature(type) : List.of("internal " + type.getName()));
        }
        Files.createDirectories(Path.of("target"));
        Path found = Files.write(Path.of("target", "public-api.txt"), lines);
        assertThat(lines)
                .as("the public API differs from %s; if that is meant, copy %s over it", LIST, found)
                .isEqualTo(Files.readAllLines(LIST));
    }

    @Test
    void allTypesForUsersExist() {
        assertThat(publicTypes()).extracting(Class::getName).containsAll(FOR_USERS);
    }

    @Test
    void eachPackageSaysWhatIsForUsers() {
        for (Class<?> type : publicTypes()) {
            assertThat(Path.of("src", "main", "java", type.getPackageName().replace('.', '/'), "package-info.java"))
                    .content()
                    .containsAnyOf("API", "Internal.")
                    .satisfies(text -> {
                        boolean named = text.contains("{@code " + type.getSimpleName() + "}")
                                || text.contains("{@code\n * " + type.getSimpleName() + "}");
                        if (!isForUsers(type)) {
                            assertThat(named).as(type.getName()).isFalse();
                        } else if (type.getEnclosingClass() == null
                                && !type.getPackageName().equals(ROOT)) {
                            assertThat(named || text.contains("auto-configurations are API"))
                                    .as(type.getName())
                                    .isTrue();
                        }
                    });
        }
    }

    private static List<Class<?>> publicTypes() {
        return new ClassFileImporter()
                .importUrl(RetryOn.class.getProtectionDomain().getCodeSource().getLocation()).stream()
                        .filter(PublicApiTests::isPublic)
                        .<Class<?>>map(JavaClass::reflect)
                        .sorted(Comparator.comparing(Class::getName))
                        .toList();
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.getModifiers().contains(JavaModifier.SYNTHETIC)
                && type.getEnclosingClass().map(PublicApiTests::isPublic).orElse(true);
    }

    private static boolean isForUsers(Class<?> type) {
        Class<?> outermost = type;
        while (outermost.getEnclosingClass() != null) {
            outermost = outermost.getEnclosingClass();
        }
        return outermost.getPackageName().equals(ROOT) || FOR_USERS.contains(outermost.getName());
    }

    private static List<String> signature(Class<?> type) {
        Set<String> members = new TreeSet<>();
        Stream.of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
                .<Member>flatMap(Arrays::stream)
                .filter(member ->
                        (Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers()))
                                && !member.isSynthetic())
                .forEach(member -> members.add("  " + print(member)));
        List<String> lines = new ArrayList<>();
        lines.add(type.toGenericString());
        lines.addAll(members);
        return lines;
    }

    private static String print(Member member) {
        if (member instanceof Field field) {
            return field.toGenericString();
        }
        return member instanceof Method method && method.getDefaultValue() != null
                ? method.toGenericString() + " default " + print(method.getDefaultValue())
                : ((Executable) member).toGenericString();
    }

    private static String print(Object value) {
        return value instanceof Object[] items ? Arrays.toString(items) : String.valueOf(value);
    }
}
