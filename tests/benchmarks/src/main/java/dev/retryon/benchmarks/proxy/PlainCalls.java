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

    static class Bare extends PlainCalls {}

    static class Empty extends PlainCalls {}

    static class Hand extends PlainCalls {}

    static class Handle extends PlainCalls {}
}
