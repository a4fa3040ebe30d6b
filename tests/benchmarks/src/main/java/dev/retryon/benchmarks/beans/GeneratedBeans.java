// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import dev.retryon.benchmarks.call.Probe;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.ClassFileVersion;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.implementation.attribute.AnnotationValueFilter;

/**
 * Classes of beans, made up: each has {@value #METHODS} methods, of which the first ones are annotated.
 *
 * @param set with what they are annotated
 * @param count how many classes
 * @param annotated how many methods of each are
 */
public record GeneratedBeans(BeanSet set, int count, int annotated) {

    /** The methods of each bean. */
    public static final int METHODS = 10;

    /**
     * The names of the classes.
     *
     * @return their binary names
     */
    public List<String> names() {
        return IntStream.range(0, count)
                .mapToObj(i -> "dev.retryon.benchmarks.generated." + set.name().toLowerCase(Locale.ROOT) + ".Bean" + i)
                .toList();
    }

    /**
     * Makes the classes.
     *
     * @return the bytes of each, by its name
     */
    public Map<String, byte[]> bytes() {
        Map<String, byte[]> classes = new LinkedHashMap<>();
        for (String name : names()) {
            classes.put(name, generate(name).getBytes());
        }
        return classes;
    }

    /**
     * Makes the classes and writes them.
     *
     * @param folder the root of a class path
     * @throws IOException if they can't be written
     */
    public void write(Path folder) throws IOException {
        for (Map.Entry<String, byte[]> type : bytes().entrySet()) {
            Path file = folder.resolve(type.getKey().replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, type.getValue());
        }
    }

    private DynamicType generate(String name) {
        Method attempt;
        try {
            attempt = Probe.class.getMethod("attempt");
        } catch (NoSuchMethodException ex) {
            throw new AssertionError(ex);
        }
        // Like a compiler, omits the default values of annotations, which need not be read at start-up.
        DynamicType.Builder<?> type = new ByteBuddy(ClassFileVersion.JAVA_V17)
                .with(AnnotationValueFilter.Default.SKIP_DEFAULTS)
                .subclass(Object.class)
                .implement(GeneratedCall.class)
                .name(name);
        for (int i = 0; i < METHODS; i++) {
            var method = type.defineMethod("call" + i, Probe.class, Visibility.PUBLIC)
                    .withParameters(Probe.class)
                    .intercept(MethodCall.invoke(attempt).onArgument(0));
            type = i < annotated ? method.annotateMethod(set.annotations()) : method;
        }
        return type.make();
    }
}
