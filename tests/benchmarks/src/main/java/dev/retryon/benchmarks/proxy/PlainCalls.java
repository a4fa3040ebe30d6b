// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Probe;

/** Beans without annotations of retry libraries. */
abstract class PlainCalls implements Calls {

    @Override
    public Probe call(Probe probe) {
        return probe.attempt();
    }

    @Override
    public Probe refuse(Probe probe) {
        return probe.refuse();
    }

    @Override
    public Probe gate(Probe probe) {
        return probe.attempt();
    }

    @Override
    public Probe callOften(Probe probe) {
        return probe.attempt();
    }

    /** Without any advice: the call itself. */
    static class Bare extends PlainCalls {}

    /** The target of the empty advice. */
    static class Empty extends PlainCalls {}

    /** The target of the hand-written loop. */
    static class Hand extends PlainCalls {}

    /** The target of the hand-written loop that calls by a method handle. */
    static class Handle extends PlainCalls {}
}
