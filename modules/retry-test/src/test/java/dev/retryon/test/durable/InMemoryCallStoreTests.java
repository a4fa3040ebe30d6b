// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.CallStoreContract;
import java.time.InstantSource;

class InMemoryCallStoreTests extends CallStoreContract {

    @Override
    protected CallStore create() {
        return new InMemoryCallStore(InstantSource.system());
    }
}
