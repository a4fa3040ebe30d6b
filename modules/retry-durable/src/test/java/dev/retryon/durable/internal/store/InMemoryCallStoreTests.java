// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.InMemoryCallStore;

class InMemoryCallStoreTests extends CallStoreContract {

    @Override
    CallStore create() {
        return new InMemoryCallStore();
    }
}
