/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.test.spring;

import java.util.BitSet;
import org.springframework.asm.Opcodes;

/** Which slots of the operand stack and which local variables hold the bean itself. */
final class OperandStack {

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

    /** What is the bean on both ways to an instruction. */
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

    /** Pushes slots that do not hold the bean. */
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

    /** Carries out an instruction without operands. */
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
                int growth = growth(opcode);
                push(growth);
                pop(-growth);
            }
        }
    }

    /**
     * By how many slots an instruction changes the stack. Numbers and arrays are never the bean, so the slots that it reads
     * and writes need no further look.
     */
    private static int growth(int opcode) {
        return switch (opcode) {
            case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1 -> 2;
            case Opcodes.ACONST_NULL,
                    Opcodes.ICONST_M1,
                    Opcodes.ICONST_0,
                    Opcodes.ICONST_1,
                    Opcodes.ICONST_2,
                    Opcodes.ICONST_3,
                    Opcodes.ICONST_4,
                    Opcodes.ICONST_5,
                    Opcodes.FCONST_0,
                    Opcodes.FCONST_1,
                    Opcodes.FCONST_2,
                    Opcodes.I2L,
                    Opcodes.I2D,
                    Opcodes.F2L,
                    Opcodes.F2D -> 1;
            case Opcodes.IALOAD,
                    Opcodes.FALOAD,
                    Opcodes.AALOAD,
                    Opcodes.BALOAD,
                    Opcodes.CALOAD,
                    Opcodes.SALOAD,
                    Opcodes.POP,
                    Opcodes.IADD,
                    Opcodes.FADD,
                    Opcodes.ISUB,
                    Opcodes.FSUB,
                    Opcodes.IMUL,
                    Opcodes.FMUL,
                    Opcodes.IDIV,
                    Opcodes.FDIV,
                    Opcodes.IREM,
                    Opcodes.FREM,
                    Opcodes.ISHL,
                    Opcodes.LSHL,
                    Opcodes.ISHR,
                    Opcodes.LSHR,
                    Opcodes.IUSHR,
                    Opcodes.LUSHR,
                    Opcodes.IAND,
                    Opcodes.IOR,
                    Opcodes.IXOR,
                    Opcodes.L2I,
                    Opcodes.L2F,
                    Opcodes.D2I,
                    Opcodes.D2F,
                    Opcodes.FCMPL,
                    Opcodes.FCMPG,
                    Opcodes.IRETURN,
                    Opcodes.FRETURN,
                    Opcodes.ARETURN,
                    Opcodes.ATHROW,
                    Opcodes.MONITORENTER,
                    Opcodes.MONITOREXIT -> -1;
            case Opcodes.POP2,
                    Opcodes.LADD,
                    Opcodes.DADD,
                    Opcodes.LSUB,
                    Opcodes.DSUB,
                    Opcodes.LMUL,
                    Opcodes.DMUL,
                    Opcodes.LDIV,
                    Opcodes.DDIV,
                    Opcodes.LREM,
                    Opcodes.DREM,
                    Opcodes.LAND,
                    Opcodes.LOR,
                    Opcodes.LXOR,
                    Opcodes.LRETURN,
                    Opcodes.DRETURN -> -2;
            case Opcodes.IASTORE,
                    Opcodes.FASTORE,
                    Opcodes.AASTORE,
                    Opcodes.BASTORE,
                    Opcodes.CASTORE,
                    Opcodes.SASTORE,
                    Opcodes.LCMP,
                    Opcodes.DCMPL,
                    Opcodes.DCMPG -> -3;
            case Opcodes.LASTORE, Opcodes.DASTORE -> -4;
            default -> 0;
        };
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
