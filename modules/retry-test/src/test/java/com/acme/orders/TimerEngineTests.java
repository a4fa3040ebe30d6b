// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.durable.CallEngine;
import dev.retryon.test.durable.CallEngineContract;

class TimerEngineTests extends CallEngineContract {

    private final TimerEngine engine = new TimerEngine();

    @Override
    protected CallEngine engine() {
        return engine;
    }
}
