// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.springframework.asm.Opcodes;
import org.springframework.asm.Type;

/** The slots of the operand stack and the local variables that contain the bean itself. */
final class OperandStack {

    /** The slots by which an instruction changes the stack, by opcode. These slots have numbers and arrays, never the bean. */
    private static final int[] GROWTH = growth();

    private final BitSet slots = new BitSet();

    private final BitSet locals = new BitSet();

    private int size;

    OperandStack copy() {
        OperandStack copy = new OperandStack();
        copy.slots.or(slots);
        copy.locals.or(locals);
        copy.size = size;
        return copy;
    }

    /** Returns the slots and variables that contain the bean on both paths to an instruction. */
    OperandStack merge(OperandStack other) {
        OperandStack merged = copy();
        merged.slots.and(other.slots);
        merged.locals.and(other.locals);
        merged.size = Math.min(size, other.size);
        return merged;
    }

    void clear() {
        slots.clear();
        size = 0;
    }

    void local(int variable, boolean self) {
        locals.set(variable, self);
    }

    void load(int variable) {
        pushValue(locals.get(variable));
    }

    /** Pushes slots that do not contain the bean. */
    void push(int count) {
        for (int i = 0; i < count; i++) {
            pushValue(false);
        }
    }

    void pushValue(boolean self) {
        slots.set(size++, self);
    }

    boolean pop() {
        if (size == 0) {
            return false; // code that is never reached
        }
        return slots.get(--size);
    }

    void pop(int count) {
        for (int i = 0; i < count; i++) {
            pop();
        }
    }

    /** Applies an instruction that does not load, store or call an object. */
    void apply(int opcode) {
        switch (opcode) {
            case Opcodes.DUP -> duplicate(1, 0);
            case Opcodes.DUP_X1 -> duplicate(1, 1);
            case Opcodes.DUP_X2 -> duplicate(1, 2);
            case Opcodes.DUP2 -> duplicate(2, 0);
            case Opcodes.DUP2_X1 -> duplicate(2, 1);
            case Opcodes.DUP2_X2 -> duplicate(2, 2);
            case Opcodes.SWAP -> {
                boolean upper = pop();
                boolean lower = pop();
                pushValue(upper);
                pushValue(lower);
            }
            default -> {
                push(GROWTH[opcode]);
                pop(-GROWTH[opcode]);
            }
        }
    }

    private static int[] growth() {
        int[] growth = new int[Opcodes.IFNONNULL + 1];
        for (Type type : List.of(Type.INT_TYPE, Type.LONG_TYPE, Type.FLOAT_TYPE, Type.DOUBLE_TYPE)) {
            int size = type.getSize();
            growth[type.getOpcode(Opcodes.ILOAD)] = size;
            for (int opcode : List.of(
                    Opcodes.ISTORE,
                    Opcodes.IRETURN,
                    Opcodes.IADD,
                    Opcodes.ISUB,
                    Opcodes.IMUL,
                    Opcodes.IDIV,
                    Opcodes.IREM)) {
                growth[type.getOpcode(opcode)] = -size;
            }
        }
        for (int opcode = Opcodes.IALOAD; opcode <= Opcodes.SALOAD; opcode++) {
            int size = opcode == Opcodes.LALOAD || opcode == Opcodes.DALOAD ? 2 : 1;
            growth[opcode] = size - 2;
            growth[opcode - Opcodes.IALOAD + Opcodes.IASTORE] = -size - 2;
        }
        Arrays.fill(growth, Opcodes.ACONST_NULL, Opcodes.LDC, 1);
        set(growth, 2, Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1);
        set(growth, 1, Opcodes.I2L, Opcodes.I2D, Opcodes.F2L, Opcodes.F2D);
        set(growth, -1, Opcodes.L2I, Opcodes.L2F, Opcodes.D2I, Opcodes.D2F);
        Arrays.fill(growth, Opcodes.ISHL, Opcodes.IAND, -1);
        set(growth, -1, Opcodes.IAND, Opcodes.IOR, Opcodes.IXOR, Opcodes.FCMPL, Opcodes.FCMPG);
        set(growth, -2, Opcodes.LAND, Opcodes.LOR, Opcodes.LXOR, Opcodes.POP2);
        set(growth, -3, Opcodes.LCMP, Opcodes.DCMPL, Opcodes.DCMPG);
        Arrays.fill(growth, Opcodes.IFEQ, Opcodes.IF_ICMPEQ, -1);
        Arrays.fill(growth, Opcodes.IF_ICMPEQ, Opcodes.GOTO, -2);
        set(growth, -1, Opcodes.IFNULL, Opcodes.IFNONNULL, Opcodes.POP, Opcodes.ARETURN, Opcodes.ATHROW);
        set(growth, -1, Opcodes.MONITORENTER, Opcodes.MONITOREXIT);
        return growth;
    }

    private static void set(int[] growth, int slots, int... opcodes) {
        for (int opcode : opcodes) {
            growth[opcode] = slots;
        }
    }

    /** Puts a copy of the upper slots below some further slots. */
    private void duplicate(int count, int below) {
        boolean[] upper = popAll(count);
        boolean[] lower = popAll(below);
        pushAll(upper);
        pushAll(lower);
        pushAll(upper);
    }

    private boolean[] popAll(int count) {
        boolean[] values = new boolean[count];
        for (int i = count - 1; i >= 0; i--) {
            values[i] = pop();
        }
        return values;
    }

    private void pushAll(boolean[] values) {
        for (boolean value : values) {
            pushValue(value);
        }
    }
}
