// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ReflectionUtils;

/**
 * A rolling deployment: two versions of an application run side by side, and one cannot read the calls that the other
 * stores. Each time it leases such a call, it returns the call with a mark, until the other version runs it. In these tests,
 * each version of a method has its own class, and an alias maps the key of one version to the other.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class TwoVersionsTests {

    private static final List<String> made = new CopyOnWriteArrayList<>();

    private static volatile boolean fails;

    @TempDir
    private Path folder;

    @BeforeEach
    void forget() {
        made.clear();
        fails = true;
    }

    private static void make(Object argument) throws IOException {
        if (fails) {
            throw new IOException("down");
        }
        made.add(argument.toString());
    }

    private interface Call<T> {

        void on(T bean) throws Exception;
    }

    /** The version that stores a call, and the one that can't read it. */
    record Versions<T>(String name, Class<T> writer, Call<T> call, Class<?> stranger, String made) {

        @Override
        public String toString() {
            return name;
        }

        void store(ApplicationContext context) throws Exception {
            call.on(context.getBean(writer));
        }
    }

    enum Colour {
        RED,
        GREEN
    }

    enum NewColour {
        RED,
        BLUE
    }

    static class Paints {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(Colour it) throws IOException {
            make(it);
        }
    }

    static class NewPaints {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(NewColour it) throws IOException {
            make(it);
        }
    }

    record Order(String id, String total) {}

    record NewOrder(String id, String amount) {}

    static class Orders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(Order it) throws IOException {
            make(it);
        }
    }

    static class NewOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(NewOrder it) throws IOException {
            make(it);
        }
    }

    static class MoreArguments {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(Order it, int count) throws IOException {
            make(it.id() + count);
        }
    }

    static Stream<Versions<?>> versions() {
        return Stream.of(
                new Versions<>(
                        "new constant", NewPaints.class, bean -> bean.call(NewColour.BLUE), Paints.class, "BLUE"),
                new Versions<>(
                        "removed constant", Paints.class, bean -> bean.call(Colour.GREEN), NewPaints.class, "GREEN"),
                new Versions<>(
                        "new name of a property",
                        NewOrders.class,
                        bean -> bean.call(new NewOrder("17", "9.90")),
                        Orders.class,
                        "NewOrder[id=17, amount=9.90]"),
                new Versions<>(
                        "old name of a property",
                        Orders.class,
                        bean -> bean.call(new Order("17", "9.90")),
                        NewOrders.class,
                        "Order[id=17, total=9.90]"),
                new Versions<>(
                        "more arguments",
                        MoreArguments.class,
                        bean -> bean.call(new Order("17", "9.90"), 3),
                        Orders.class,
                        "173"));
    }

    private ApplicationContextRunner node(Class<?> version, Class<?> other) {
        return DurableTrial.embedded(folder)
                .withPropertyValues(
                        "retryon.durable.unresolved-after=1h",
                        "retryon.dead-letter.aliases.[" + key(other) + "]=" + key(version))
                .withBean(version);
    }

    private static String key(Class<?> version) {
        return Arrays.stream(ReflectionUtils.getDeclaredMethods(version))
                .filter(method -> method.getName().equals("call"))
                .map(method -> version.getName()
                        + Arrays.stream(method.getParameterTypes())
                                .map(Class::getTypeName)
                                .collect(Collectors.joining(",", "#call(", ")")))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void aCallThatOneVersionCanNotReadIsRunByTheOther(Versions<?> versions, CapturedOutput output) {
        node(versions.stranger(), versions.writer()).run(stranger -> {
            node(versions.writer(), versions.stranger())
                    .withPropertyValues("retryon.defaults.delay=1h")
                    .run(versions::store);
            makeDue(stranger);
            await().until(() -> isGivenBack(stranger));

            fails = false;
            node(versions.writer(), versions.stranger()).run(writer -> {
                // Whichever of them looks first; the stranger gives it back each time.
                await().until(() -> {
                    makeDue(writer);
                    return DurableTrial.stored(writer) == 0;
                });
                assertThat(made).containsExactly(versions.made());
                assertThat(DurableTrial.deadLetters(writer)).isEmpty();
            });
        });
        assertThat(output).containsOnlyOnce("do not match the method in this process; the call waits");
    }

    @Test
    void aNewerFormatIsLeftToProcessesThatReadItAndDiesWhenNoneRuns() {
        String patience = "retryon.durable.unresolved-after=300ms";
        node(Paints.class, NewPaints.class).withPropertyValues(patience).run(older -> {
            announceAProcessThatReads(older, "format 2");
            older.getBean(DurableLifecycle.class).stop();
            older.getBean(Paints.class).call(Colour.RED);
            turnIntoFormatTwo(older);
            older.getBean(DurableLifecycle.class).start();

            await().during(Duration.ofSeconds(1)).until(() -> {
                makeDue(older);
                return DurableTrial.deadLetters(older).isEmpty();
            });
            await().until(() -> isGivenBack(older));

            update(older, "delete from " + RetryStore.NODES + " where id = 'newer'");
            await().until(() -> {
                makeDue(older);
                return DurableTrial.stored(older) == 0;
            });
            assertThat(made).isEmpty();
            assertThat(DurableTrial.deadLetters(older)).singleElement().satisfies(letter -> {
                assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
                assertThat(letter.errorMessage()).contains("it has format 2, but this process supports 1");
            });
        });
    }

    private static void announceAProcessThatReads(ApplicationContext context, String line) {
        update(
                context,
                "insert into " + RetryStore.NODES
                        + " (application, id, name, methods, lanes, started_at, seen_at, expires_at)"
                        + " select application, 'newer', name, '" + line
                        + "', lanes, started_at, seen_at, expires_at + 3600000 from " + RetryStore.NODES);
    }

    private static void turnIntoFormatTwo(ApplicationContext context) {
        update(
                context,
                "update retryon_call set execution_time = 0, task_data = cast(replace(cast(task_data as text),"
                        + " '\"v\":1', '\"v\":2') as blob)");
    }

    private static void makeDue(ApplicationContext context) {
        update(context, "update retryon_call set execution_time = 0, version = version + 1 where picked = 0");
    }

    private static void update(ApplicationContext context, String sql) {
        assertThat(DurableTrial.store(context).jdbc().sql(sql).update()).isNotNegative();
    }

    private static boolean isGivenBack(ApplicationContext context) {
        return DurableTrial.store(context)
                        .jdbc()
                        .sql("select count(*) from retryon_call where picked = 0 and unfit_since is not null"
                                + " and method_hash like '%.%'")
                        .query(Long.class)
                        .single()
                > 0;
    }
}
