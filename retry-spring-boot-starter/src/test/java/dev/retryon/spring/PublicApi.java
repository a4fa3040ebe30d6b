/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Compares the API of a module with a list in its test resources, so that a review shows each change of the API. The API is
 * the public types of the root package and the auto-configurations. Each module extends this class in its tests. If a change
 * is intended, copy {@code target/public-api.txt} over the list.
 */
@TestInstance(Lifecycle.PER_CLASS) // reads the classes once
public abstract class PublicApi {

    private static final Path LIST = Path.of("src", "test", "resources", "public-api.txt");

    private final String root;

    private final List<Class<?>> publicTypes;

    /**
     * Finds the public types of a module.
     *
     * @param root the API package, which contains all other packages of the module
     */
    protected PublicApi(String root) {
        this.root = root;
        this.publicTypes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(root).stream()
                        .filter(PublicApi::isPublic)
                        .<Class<?>>map(JavaClass::reflect)
                        .sorted(Comparator.comparing(Class::getName))
                        .toList();
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.getModifiers().contains(JavaModifier.SYNTHETIC)
                && type.getEnclosingClass().map(PublicApi::isPublic).orElse(true);
    }

    @Test
    void thePublicApiIsAsListed() throws IOException {
        List<String> lines = publicTypes.stream()
                .filter(this::isApi)
                .flatMap(type -> signature(type).stream())
                .toList();
        Files.createDirectories(Path.of("target"));
        Path found = Files.write(Path.of("target", "public-api.txt"), lines);

        assertThat(lines)
                .as("the public API differs from %s; if that is intended, copy %s over it", LIST, found)
                .isEqualTo(Files.readAllLines(LIST));
    }

    @Test
    void allOtherPublicTypesAreInInternalPackages() {
        assertThat(publicTypes)
                .filteredOn(type -> !isApi(type))
                .allSatisfy(type -> assertThat(type.getPackageName().split("\\."))
                        .as(type.getName())
                        .contains("internal"));
    }

    private boolean isApi(Class<?> type) {
        return Set.of(root, root + ".autoconfigure").contains(type.getPackageName());
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
