// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryHint;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.asm.ClassReader;
import org.springframework.util.ClassUtils;

/** Finds out whether methods may throw errors that ask for a retry themselves, so that none must be listed. */
final class ThrownSignals {

    /** The tag of a class in the constants of a class file. */
    private static final int CLASS = 7;

    private ThrownSignals() {}

    /** Whether the code of a class names a {@link RetryHint}, or can't be read. */
    static boolean mayBeThrownBy(Class<?> beanClass) {
        for (Class<?> type = beanClass; type != null && type != Object.class; type = type.getSuperclass()) {
            try (InputStream code = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
                if (code == null || namesHint(new ClassReader(code), type.getClassLoader())) {
                    return true;
                }
            } catch (IOException | IllegalArgumentException ex) {
                return true;
            }
        }
        return false;
    }

    private static boolean namesHint(ClassReader code, ClassLoader classLoader) {
        char[] buffer = new char[code.getMaxStringLength()];
        for (int i = 1; i < code.getItemCount(); i++) {
            int item = code.getItem(i);
            if (item > 0 && code.readByte(item - 1) == CLASS) {
                String name = code.readUTF8(item, buffer).replace('/', '.');
                if (!name.startsWith("java.") && isHint(name, classLoader)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isHint(String name, ClassLoader classLoader) {
        try {
            return RetryHint.class.isAssignableFrom(Class.forName(name, false, classLoader));
        } catch (ClassNotFoundException | LinkageError ex) {
            return false;
        }
    }
}
