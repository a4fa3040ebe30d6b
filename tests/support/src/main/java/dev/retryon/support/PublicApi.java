// SPDX-License-Identifier: Apache-2.0
package dev.retryon.support;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the API of a module with the list in {@code src/test/resources/public-api.txt}, which lets a review show each
 * change. The API is every public type of a package without {@code internal} in its name. A module extends this class in its
 * tests. If a change is intended, copy {@code target/public-api.txt} over the list.
 */
public abstract class PublicApi {

    private static final Path LIST = Path.of("src", "test", "resources", "public-api.txt");

    @Test
    void thePublicApiIsAsListed() throws IOException {
        List<String> lines = new ClassFileImporter()
                .importPath(Path.of("target", "classes")).stream()
                        .filter(PublicApi::isApi)
                        .<Class<?>>map(JavaClass::reflect)
                        .sorted(Comparator.comparing(Class::getName))
                        .flatMap(type -> signature(type).stream())
                        .toList();
        Path found = Files.write(Path.of("target", "public-api.txt"), lines);

        assertThat(lines)
                .as(
                        "The public API differs from %s. If that is intended, copy %s over it, and add a line to CHANGELOG.md.",
                        LIST, found)
                .isEqualTo(Files.readAllLines(LIST));
    }

    /** The package {@code module} of the starter is for RetryOn's modules alone. */
    private static boolean isApi(JavaClass type) {
        return Collections.disjoint(List.of(type.getPackageName().split("\\.")), List.of("internal", "module"))
                && isPublic(type);
    }

    private static boolean isPublic(JavaClass type) {
        return (type.getModifiers().contains(JavaModifier.PUBLIC)
                        || type.getModifiers().contains(JavaModifier.PROTECTED))
                && !type.getModifiers().contains(JavaModifier.SYNTHETIC)
                && type.getEnclosingClass().map(PublicApi::isPublic).orElse(true);
    }

    /** Describes a type in one line, and each of its public and protected members in a line. */
    static List<String> signature(Class<?> type) {
        Set<String> members = new TreeSet<>();
        Stream.of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
                .<Member>flatMap(Arrays::stream)
                .filter(member ->
                        (Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers()))
                                && !member.isSynthetic())
                .forEach(member -> members.add("  " + deprecated((AnnotatedElement) member) + print(member)));
        List<String> lines = new ArrayList<>();
        // JDKs differ in where they print that a type is sealed, and whether.
        String described = type.toGenericString().replace(" non-sealed ", " ").replace(" sealed ", " ");
        lines.add(deprecated(type) + described + parents(type) + (type.isSealed() ? " sealed" : ""));
        lines.addAll(members);
        return lines;
    }

    private static String deprecated(AnnotatedElement element) {
        return element.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "";
    }

    private static String parents(Class<?> type) {
        if (type.isAnnotation()) {
            return "";
        }
        Type parent = type.getGenericSuperclass();
        boolean isPlain = parent == null || parent == Object.class || type.isEnum() || type.isRecord();
        String extended = isPlain ? "" : " extends " + parent.getTypeName();
        Type[] interfaces = type.getGenericInterfaces();
        return interfaces.length == 0
                ? extended
                : extended
                        + Arrays.stream(interfaces)
                                .map(Type::getTypeName)
                                .collect(Collectors.joining(
                                        ", ", type.isInterface() ? " extends " : " implements ", ""));
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
