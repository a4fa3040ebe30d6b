// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects.internal;

import dev.retryon.aspects.RetryOnAspect;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.aspectj.lang.JoinPoint;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NativeDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Determines whether AspectJ has woven RetryOn's aspect into a method. The weaver moves the body to a static method with the
 * target, the arguments and the join point, but does so for other aspects too. This class therefore also looks for the
 * aspect's name in the class file, where the compiler leaves it, and in the configuration files of the agent.
 */
final class WovenBodies {

    private static final String ASPECT = RetryOnAspect.class.getName();

    private static final String BODY = "_aroundBody";

    private static final String CONFIGURATION = "org.aspectj.weaver.loadtime.configuration";

    private static final String DEFAULT_CONFIGURATION = "META-INF/aop.xml;META-INF/aop-ajc.xml;org/aspectj/aop.xml";

    private WovenBodies() {}

    /** Returns whether the aspect is woven into a method. If the files cannot be read, each woven method counts. */
    static boolean has(Method method) {
        if (NativeDetector.inNativeImage()) {
            return true; // methods that the weaver has added have no metadata
        }
        List<String> bodies = of(method);
        if (bodies.isEmpty()) {
            return false;
        }
        try {
            Class<?> type = method.getDeclaringClass();
            String file = classFile(type);
            return file == null
                    || file.contains(constant(ASPECT.replace('.', '/')))
                    || (!containsAll(file, bodies) && isConfigured(type.getClassLoader()));
        } catch (IOException ex) {
            return true;
        }
    }

    private static List<String> of(Method method) {
        // Spring's aspects for transactions and caching take no join point.
        List<Class<?>> parameters = new ArrayList<>(List.of(method.getParameterTypes()));
        if (!Modifier.isStatic(method.getModifiers())) {
            parameters.add(0, method.getDeclaringClass());
        }
        parameters.add(JoinPoint.class);
        return Arrays.stream(ReflectionUtils.getDeclaredMethods(method.getDeclaringClass()))
                .filter(other -> other.getName().startsWith(method.getName() + BODY)
                        && parameters.equals(List.of(other.getParameterTypes())))
                .map(Method::getName)
                .toList();
    }

    /** Returns the bytes of a class as compiled, each as a character, or {@code null} if the file is missing. */
    private static @Nullable String classFile(Class<?> type) throws IOException {
        try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
            return file == null ? null : new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns whether a class file has these methods, which proves that no agent has added them. */
    private static boolean containsAll(String file, List<String> methods) throws IOException {
        for (String method : methods) {
            if (!file.contains(constant(method))) {
                return false;
            }
        }
        return true;
    }

    /** Returns a text as class files store it, after its length. */
    private static String constant(String text) throws IOException {
        ByteArrayOutputStream constant = new ByteArrayOutputStream();
        new DataOutputStream(constant).writeUTF(text);
        return constant.toString(StandardCharsets.ISO_8859_1);
    }

    private static boolean isConfigured(@Nullable ClassLoader classLoader) throws IOException {
        for (String name :
                StringUtils.tokenizeToStringArray(System.getProperty(CONFIGURATION, DEFAULT_CONFIGURATION), ";")) {
            List<URL> files = name.startsWith("file:") || classLoader == null
                    ? List.of(new URL(name))
                    : Collections.list(classLoader.getResources(name));
            for (URL file : files) {
                try (InputStream content = file.openStream()) {
                    if (new String(content.readAllBytes(), StandardCharsets.UTF_8).contains(ASPECT)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
