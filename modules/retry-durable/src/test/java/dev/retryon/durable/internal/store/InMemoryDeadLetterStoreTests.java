// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.engine.InMemoryDeadLetterStore;

class InMemoryDeadLetterStoreTests extends DeadLetterStoreContract {

    @Override
    DeadLetterStore create() {
        return new InMemoryDeadLetterStore();
    }
}
