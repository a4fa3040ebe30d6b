// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows the instructions of one method to find the values on the operand stack that are the bean itself, because a call on
 * the bean differs from a call on another instance of its class.
 */
abstract class ReceiverTracker extends MethodVisitor {

    private final BeanCode bean;

    private OperandStack stack = new OperandStack();

    /** The stacks with which other instructions jump to a label. */
    private final Map<Label, OperandStack> jumps = new HashMap<>();

    private boolean reachable = true;

    private int line;

    /** @param self whether the method has a {@code this} that is the bean */
    ReceiverTracker(BeanCode bean, boolean self) {
        super(SpringAsmInfo.ASM_VERSION);
        this.bean = bean;
        stack.local(0, self);
    }

    /** Receives each call to a retried method on the bean itself. */
    abstract void selfInvocation(String method, String descriptor, boolean onSuper, int line);

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
        OperandStack thrown = stack.copy();
        thrown.clear();
        thrown.push(1);
        jumps.putIfAbsent(handler, thrown);
    }

    @Override
    public void visitLabel(Label label) {
        OperandStack jumped = jumps.get(label);
        if (jumped != null) {
            stack = reachable ? stack.merge(jumped) : jumped.copy();
            reachable = true;
        }
    }

    private void jumpTo(Label label) {
        OperandStack known = jumps.get(label);
        jumps.put(label, known == null ? stack.copy() : known.merge(stack));
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        stack.apply(opcode);
        jumpTo(label);
        if (opcode == Opcodes.GOTO) {
            reachable = false;
        }
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label defaultLabel, Label... labels) {
        visitSwitch(defaultLabel, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label defaultLabel, int[] keys, Label[] labels) {
        visitSwitch(defaultLabel, labels);
    }

    private void visitSwitch(Label defaultLabel, Label[] labels) {
        stack.pop(1);
        jumpTo(defaultLabel);
        for (Label label : labels) {
            jumpTo(label);
        }
        reachable = false;
    }

    @Override
    public void visitInsn(int opcode) {
        stack.apply(opcode);
        if (opcode == Opcodes.ATHROW || (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN)) {
            reachable = false;
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        stack.apply(opcode);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        switch (opcode) {
            case Opcodes.ALOAD -> stack.load(variable);
            case Opcodes.ASTORE -> stack.local(variable, stack.pop());
            default -> {
                stack.apply(opcode);
                if (opcode >= Opcodes.ISTORE) {
                    stack.local(variable, false);
                }
            }
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        if (opcode == Opcodes.NEW) {
            stack.push(1);
        } else if (opcode != Opcodes.CHECKCAST) {
            stack.pop(1);
            stack.push(1);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> stack.push(size);
            case Opcodes.PUTSTATIC -> stack.pop(size);
            case Opcodes.PUTFIELD -> stack.pop(size + 1);
            default -> {
                stack.pop(1);
                if (bean.isOuterInstance(name, descriptor)) {
                    stack.pushValue(true);
                } else {
                    stack.push(size);
                }
            }
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        pop(Type.getArgumentTypes(descriptor));
        if (opcode != Opcodes.INVOKESTATIC && stack.pop() && bean.isRetried(owner, name, descriptor)) {
            selfInvocation(name, descriptor, opcode == Opcodes.INVOKESPECIAL, line);
        }
        stack.push(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        Type[] captured = Type.getArgumentTypes(descriptor);
        boolean self = pop(captured);
        if (self) {
            for (Object argument : arguments) {
                if (argument instanceof Handle method
                        && bean.isRetried(method.getOwner(), method.getName(), method.getDesc())) {
                    boolean onSuper = method.getTag() == Opcodes.H_INVOKESPECIAL;
                    selfInvocation(method.getName(), method.getDesc(), onSuper, line);
                }
            }
        }
        stack.push(Type.getReturnType(descriptor).getSize());
    }

    /** Removes the arguments from the stack. Returns whether the first of them is the bean. */
    private boolean pop(Type[] arguments) {
        boolean first = false;
        for (int i = arguments.length - 1; i >= 0; i--) {
            stack.pop(arguments[i].getSize() - 1);
            first = stack.pop();
        }
        return first;
    }

    @Override
    public void visitLdcInsn(Object value) {
        stack.push(value instanceof Long || value instanceof Double ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        stack.pop(dimensions);
        stack.push(1);
    }
}
