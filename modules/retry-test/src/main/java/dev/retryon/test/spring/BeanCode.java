// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The bytecode of one bean's class, superclasses, interfaces and inner classes. */
final class BeanCode {

    private final Class<?> beanClass;

    /** The classes and interfaces that the bean is an instance of, by their internal names. */
    private final Set<String> types = new LinkedHashSet<>();

    /** Retried methods of the bean, by name and descriptor. */
    private final Set<String> retried = new HashSet<>();

    private final List<SelfInvocation> found = new ArrayList<>();

    BeanCode(Class<?> beanClass, Predicate<Method> isRetried) {
        this.beanClass = beanClass;
        for (Class<?> type = beanClass; type != null && type != Object.class; type = type.getSuperclass()) {
            types.add(Type.getInternalName(type));
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(beanClass)) {
            types.add(Type.getInternalName(type));
        }
        ReflectionUtils.doWithMethods(beanClass, method -> {
            if (!method.isSynthetic() && isRetried.test(method)) {
                retried.add(method.getName() + Type.getMethodDescriptor(method));
            }
        });
    }

    List<SelfInvocation> selfInvocations() {
        if (retried.isEmpty()) {
            return List.of();
        }
        Set<String> seen = new HashSet<>();
        Deque<String> toRead = new ArrayDeque<>(types);
        while (!toRead.isEmpty()) {
            String name = toRead.remove();
            if (seen.add(name)) {
                read(name, toRead);
            }
        }
        return found;
    }

    private void read(String name, Deque<String> innerClasses) {
        String file = "/" + name + ClassUtils.CLASS_FILE_SUFFIX;
        try (InputStream code = beanClass.getResourceAsStream(file)) {
            if (code != null) {
                new ClassReader(code).accept(new Reader(name, innerClasses), 0);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns whether a value of this type, in an inner class, can be the bean itself. */
    boolean isOuterInstance(String fieldName, String descriptor) {
        return fieldName.startsWith("this$")
                && types.contains(Type.getType(descriptor).getInternalName());
    }

    boolean isRetried(String owner, String method, String descriptor) {
        return types.contains(owner) && retried.contains(method + descriptor);
    }

    private final class Reader extends ClassVisitor {

        private final String className;

        private final Deque<String> innerClasses;

        private String source = "";

        Reader(String className, Deque<String> innerClasses) {
            super(SpringAsmInfo.ASM_VERSION);
            this.className = className;
            this.innerClasses = innerClasses;
        }

        @Override
        public void visitSource(@Nullable String file, @Nullable String debug) {
            source = file == null ? "" : file;
        }

        @Override
        public void visitInnerClass(String name, @Nullable String outerName, @Nullable String innerName, int access) {
            if ((access & Opcodes.ACC_STATIC) == 0 && name.startsWith(className + "$")) {
                innerClasses.add(name);
            }
        }

        @Override
        public MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            boolean self = types.contains(className) && (access & Opcodes.ACC_STATIC) == 0;
            return new ReceiverTracker(BeanCode.this, self) {

                @Override
                void selfInvocation(String called, String calledDescriptor, boolean onSuper, int line) {
                    boolean override = onSuper && called.equals(name) && calledDescriptor.equals(descriptor);
                    boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
                    if (!override && !bridge) {
                        found.add(new SelfInvocation(
                                shortName(className) + "." + name,
                                shortName(Type.getInternalName(beanClass)) + "." + called,
                                source + ":" + line));
                    }
                }
            };
        }
    }

    private static String shortName(String internalName) {
        return internalName.substring(internalName.lastIndexOf('/') + 1).replace('$', '.');
    }
}
