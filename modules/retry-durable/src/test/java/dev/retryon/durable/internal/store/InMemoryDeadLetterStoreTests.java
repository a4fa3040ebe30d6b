// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.deadletter.DeadLetter.Action;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import org.junit.jupiter.api.Test;

class InMemoryDeadLetterStoreTests extends DeadLetterStoreContract {

    @Override
    DeadLetterStore create() {
        return new InMemoryDeadLetterStore(10_000);
    }

    @Test
    void isBoundedAndSaysSo() {
        DeadLetterStore small = new InMemoryDeadLetterStore(2);
        small.put(letter("a", 0));
        small.put(letter("b", 1));

        assertThatIllegalStateException()
                .isThrownBy(() -> small.put(letter("c", 2)))
                .withMessageContaining("the store is full: it keeps at most 2 dead letters");
        small.move("b", DeadLetterStatus.DEAD, new Action(START, null, DeadLetterStatus.DISCARDED, null));
        small.put(letter("c", 2));

        assertThat(small.find("b")).isEmpty();
        assertThat(small.count(DeadLetterFilter.ALL)).isEqualTo(2);
    }
}
