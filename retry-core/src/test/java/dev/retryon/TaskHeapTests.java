// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The heap beside a list that is searched each time. */
class TaskHeapTests {

    private final TaskHeap heap = new TaskHeap();

    private static class Task extends TimedTask {

        private Task(long at) {
            this.at = at;
        }

        @Override
        public void run() {}
    }

    private static final class Other extends Task {

        private Other(long at) {
            super(at);
        }
    }

    private Task add(long at) {
        Task task = new Task(at);
        heap.add(task);
        return task;
    }

    private List<Long> drain() {
        List<Long> times = new ArrayList<>();
        for (TimedTask first = heap.first(); first != null; first = heap.first()) {
            times.add(first.at);
            assertThat(heap.remove(first)).isTrue();
        }
        return times;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void tellsTheFirstWhateverIsAddedAndRemoved(long seed) {
        Random random = new Random(seed);
        List<Task> model = new ArrayList<>();
        for (int step = 0; step < 2000; step++) {
            if (model.isEmpty() || random.nextInt(100) < 55) {
                Task task = new Task(random.nextInt(200));
                boolean first = model.stream().allMatch(other -> task.at < other.at);
                assertThat(heap.add(task)).isEqualTo(first);
                model.add(task);
            } else {
                Task task = model.remove(random.nextInt(model.size()));
                assertThat(heap.remove(task)).isTrue();
                assertThat(heap.remove(task)).isFalse();
            }
            assertThat(heap.isEmpty()).isEqualTo(model.isEmpty());
            TimedTask first = heap.first();
            if (first == null) {
                assertThat(model).isEmpty();
            } else {
                assertThat(first.at)
                        .isEqualTo(
                                model.stream().mapToLong(task -> task.at).min().orElseThrow());
            }
        }
        assertThat(heap.all(Task.class)).containsExactlyInAnyOrderElementsOf(model);

        assertThat(drain())
                .containsExactlyElementsOf(model.stream()
                        .map(task -> task.at)
                        .sorted(Comparator.naturalOrder())
                        .toList());
        assertThat(heap.isEmpty()).isTrue();
        assertThat(heap.first()).isNull();
    }

    /** Of tasks that are due at the same time the one that was added first stays first. */
    @Test
    void anEqualTimeDoesNotTakeTheFirstPlace() {
        Task first = add(5);

        assertThat(heap.add(new Task(5))).isFalse();
        assertThat(heap.first()).isSameAs(first);
        assertThat(heap.add(new Task(4))).isTrue();
    }

    /** Times are those of a clock that may overflow. */
    @Test
    void timesAreComparedByTheirDifference() {
        Task later = add(Long.MIN_VALUE + 10);
        Task sooner = add(Long.MAX_VALUE - 10);

        assertThat(heap.first()).isSameAs(sooner);
        heap.remove(sooner);
        assertThat(heap.first()).isSameAs(later);
    }

    @Test
    void listsTasksWhenNoPlaceIsLeft() {
        List<Task> all = new ArrayList<>();
        for (int size = 1; size <= 64; size++) {
            all.add(add(size));

            assertThat(heap.all(Task.class)).containsExactlyElementsOf(all);
        }
    }

    @Test
    void aTaskThatWasNeverAddedIsNotThere() {
        assertThat(heap.remove(new Task(1))).isFalse();
    }

    @Test
    void listsAndRemovesTasksOfAType() {
        for (int i = 0; i < 40; i++) {
            heap.add(i % 2 == 0 ? new Task(i) : new Other(i));
        }

        assertThat(heap.all(Other.class)).hasSize(20);
        List<Other> removed = heap.removeAll(Other.class);
        assertThat(removed)
                .hasSize(20)
                .allSatisfy(task -> assertThat(heap.remove(task)).isFalse());
        assertThat(heap.all(Other.class)).isEmpty();
        assertThat(drain()).hasSize(20).isSorted().allMatch(time -> time % 2 == 0);
        assertThat(heap.removeAll(Task.class)).isEmpty();
        add(3);
        assertThat(heap.removeAll(Task.class)).hasSize(1);
        assertThat(heap.isEmpty()).isTrue();
        add(1);
        assertThat(drain()).containsExactly(1L);
    }
}
