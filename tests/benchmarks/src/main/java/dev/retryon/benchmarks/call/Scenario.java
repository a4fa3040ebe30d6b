// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.call;

/** How the attempts of a call go. Every policy has three attempts and no delay, unless stated otherwise. */
public enum Scenario {
    /** The first attempt succeeds. */
    SUCCEED(0, 1),

    /** Two attempts fail, the third succeeds. */
    FAIL_TWICE(2, 3),

    /** The first attempt fails with an error that is not to be retried. */
    REFUSE(0, 1),

    /** All three attempts fail. */
    EXHAUST(3, 3),

    /** As {@link #FAIL_TWICE}, and a condition on the error is evaluated before each retry. */
    GATE(2, 3),

    /** As {@link #FAIL_TWICE}, called {@value #DEPTH} frames deeper, as in a server. */
    FAIL_TWICE_DEEP(2, 3),

    /** Nine attempts fail, the tenth succeeds; the policy allows {@value #MANY}. */
    FAIL_9(9, 10),

    /** 999 attempts fail, the thousandth succeeds; the policy allows {@value #MANY}. */
    FAIL_999(999, 1000);

    /** The number of additional stack frames of a deep call. */
    private static final int DEPTH = 64;

    /** The attempts that a policy allows where many are needed. */
    public static final int MANY = 1000;

    /** The attempts that a policy allows elsewhere. */
    public static final int FEW = 3;

    private final int failures;

    private final int attempts;

    Scenario(int failures, int attempts) {
        this.failures = failures;
        this.attempts = attempts;
    }

    /**
     * How many attempts are going to fail with an error that is to be retried.
     *
     * @return zero or more
     */
    public int failures() {
        return failures;
    }

    /**
     * How many attempts there have to be.
     *
     * @return at least 1
     */
    public int attempts() {
        return attempts;
    }

    /**
     * On how deep a stack the call is made.
     *
     * @return the number of further frames, zero or more
     */
    public int depth() {
        return this == FAIL_TWICE_DEEP ? DEPTH : 0;
    }

    /**
     * Whether the policy has to allow {@value #MANY} attempts.
     *
     * @return {@code false} where it has to allow {@value #FEW}
     */
    public boolean needsMany() {
        return attempts > FEW;
    }
}
