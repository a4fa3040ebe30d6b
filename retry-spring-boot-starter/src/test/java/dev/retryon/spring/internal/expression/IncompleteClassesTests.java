// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.asm.Opcodes.ACC_PUBLIC;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import org.junit.jupiter.api.Test;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;

/** Gates over objects of classes that mention a class which is not there, as an optional library leaves them. */
class IncompleteClassesTests {

    @Test
    void aGateThatDoesNotLookIsNone() throws Exception {
        ClassLoader application = new Application();
        Applications.retrying()
                .withClassLoader(application)
                .withBean(application.loadClass("com.acme.Shop"))
                .withPropertyValues("retryon.defaults.only-if=#p0 == null or #attempt == 1")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** {@code Shop} with a retried {@code charge(Order)}, and {@code Order} with a {@code with(Absent)}. */
    private static final class Application extends ClassLoader {

        Application() {
            super(IncompleteClassesTests.class.getClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            ClassWriter writer = new ClassWriter(0);
            writer.visit(Opcodes.V17, ACC_PUBLIC, name.replace('.', '/'), null, "java/lang/Object", null);
            switch (name) {
                case "com.acme.Shop" -> {
                    constructor(writer);
                    MethodVisitor charge = method(writer, "charge", "(Lcom/acme/Order;)V");
                    AnnotationVisitor annotation = charge.visitAnnotation(Type.getDescriptor(RetryOn.class), true);
                    AnnotationVisitor types = annotation.visitArray("value");
                    types.visit(null, Type.getType(IllegalStateException.class));
                    types.visitEnd();
                    annotation.visitEnd();
                    charge.visitEnd();
                }
                case "com.acme.Order" ->
                    method(writer, "with", "(Lcom/acme/Absent;)V").visitEnd();
                default -> throw new ClassNotFoundException(name);
            }
            byte[] code = writer.toByteArray();
            return defineClass(name, code, 0, code.length);
        }

        private static void constructor(ClassWriter writer) {
            MethodVisitor constructor = writer.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
            constructor.visitCode();
            constructor.visitVarInsn(Opcodes.ALOAD, 0);
            constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
            constructor.visitInsn(Opcodes.RETURN);
            constructor.visitMaxs(1, 1);
            constructor.visitEnd();
        }

        private static MethodVisitor method(ClassWriter writer, String name, String type) {
            MethodVisitor method = writer.visitMethod(ACC_PUBLIC, name, type, null, null);
            method.visitCode();
            method.visitInsn(Opcodes.RETURN);
            method.visitMaxs(0, 2);
            return method;
        }
    }
}
