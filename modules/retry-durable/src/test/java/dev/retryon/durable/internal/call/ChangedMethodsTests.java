// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ReflectionUtils;

/**
 * Calls that one version of a method has stored and another version reads, as in {@code docs/production.md}.
 * Each version is a class of its own; an alias leads from the key of the old method to that of the new one.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class ChangedMethodsTests {

    private static final List<String> made = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    @BeforeEach
    void forget() {
        made.clear();
    }

    private interface Call<T> {

        void on(T bean) throws Exception;
    }

    /** Stores a call of the old version, lets the new one run, and waits until the call is made or a dead letter. */
    private <T> List<DeadLetter> change(Class<T> former, Call<T> call, Class<?> present, String... properties) {
        store(former, call);
        return run(former, present, properties);
    }

    private <T> void store(Class<T> former, Call<T> call) {
        application(former).run(context -> {
            call.on(context.getBean(former));
            assertThat(DurableTrial.stored(context)).isEqualTo(1);
        });
        assertThat(made).isEmpty();
    }

    private List<DeadLetter> run(Class<?> former, Class<?> present, String... properties) {
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        application(present)
                .withPropertyValues("retryon.dead-letter.aliases.[" + key(former) + "]=" + key(present))
                .withPropertyValues(properties)
                .run(context -> {
                    makeDue(context);
                    await().until(() -> DurableTrial.stored(context) == 0);
                    letters.addAll(DurableTrial.deadLetters(context));
                });
        return letters;
    }

    private ApplicationContextRunner application(Class<?> bean) {
        return DurableTrial.embedded(folder)
                .withPropertyValues("retryon.defaults.delay=1h", "retryon.durable.unresolved-after=300ms")
                .withBean(bean);
    }

    private static void makeDue(ApplicationContext context) {
        DurableTrial.store(context)
                .jdbc()
                .sql("update retryon_call set execution_time = 0")
                .update();
    }

    private static String key(Class<?> version) {
        return Arrays.stream(ReflectionUtils.getDeclaredMethods(version))
                .filter(method -> method.getName().equals("call"))
                .map(method -> version.getName() + "#call("
                        + String.join(
                                ",",
                                Arrays.stream(method.getParameterTypes())
                                        .map(Class::getTypeName)
                                        .toList())
                        + ")")
                .findFirst()
                .orElseThrow();
    }

    private static void assertUnresolvable(List<DeadLetter> letters, String... messages) {
        assertThat(made).isEmpty();
        assertThat(letters).singleElement().satisfies(letter -> {
            assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(letter.errorMessage()).contains(messages).contains(", since ");
            assertThat(letter.arguments()).isNotEmpty();
        });
    }

    static class Transfers {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(String payer, String payee) throws IOException {
            throw new IOException("down");
        }
    }

    static class SwappedTransfers {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(String payee, String payer) throws IOException {
            made.add(payer + " pays " + payee);
        }
    }

    @Test
    void parametersOfOneTypeThatWereSwappedKeepTheirValues() {
        assertThat(change(Transfers.class, bean -> bean.call("alice", "bob"), SwappedTransfers.class))
                .isEmpty();

        assertThat(made).containsExactly("alice pays bob");
    }

    static class MovedTransfers {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(int cents, String payer) throws IOException {
            made.add(payer + " pays " + cents);
        }
    }

    static class Amounts {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(String payer, int cents) throws IOException {
            throw new IOException("down");
        }
    }

    @Test
    void parametersOfOtherTypesThatWereSwappedKeepTheirValues() {
        assertThat(change(Amounts.class, bean -> bean.call("alice", 5), MovedTransfers.class))
                .isEmpty();

        assertThat(made).containsExactly("alice pays 5");
    }

    static class RenamedTransfers {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(String from, String payee) throws IOException {
            made.add(from + " pays " + payee);
        }
    }

    @Test
    void aParameterThatWasRenamedWaitsAndIsADeadLetterThen(CapturedOutput output) {
        assertUnresolvable(
                change(Transfers.class, bean -> bean.call("alice", "bob"), RenamedTransfers.class),
                "the stored arguments include \"payer\"",
                "@JsonAlias(\"payer\")");

        assertThat(output).containsOnlyOnce("do not match the method in this process; the call waits");
    }

    static class AliasedTransfers {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(@JsonAlias({"sender", "payer"}) String from, String payee) throws IOException {
            made.add(from + " pays " + payee);
        }
    }

    @Test
    void anAliasNamesAParameterThatWasRenamed() {
        assertThat(change(Transfers.class, bean -> bean.call("alice", "bob"), AliasedTransfers.class))
                .isEmpty();

        assertThat(made).containsExactly("alice pays bob");
    }

    @Test
    void aCallThatDoesNotFitIsMadeByAProcessThatItFits() {
        store(Transfers.class, bean -> bean.call("alice", "bob"));
        application(RenamedTransfers.class)
                .withPropertyValues(
                        "retryon.durable.unresolved-after=1h",
                        "retryon.dead-letter.aliases.[" + key(Transfers.class) + "]=" + key(RenamedTransfers.class))
                .run(context -> {
                    makeDue(context);
                    await().until(() -> DurableTrial.store(context)
                                    .jdbc()
                                    .sql("select count(*) from retryon_call where picked = 0 and execution_time > 0")
                                    .query(Long.class)
                                    .single()
                            == 1);
                });

        assertThat(run(Transfers.class, AliasedTransfers.class)).isEmpty();
        assertThat(made).containsExactly("alice pays bob");
    }

    static class MoreParameters {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(String payer, String payee, @Nullable String note) throws IOException {
            made.add(payer + note + payee);
        }
    }

    @Test
    void aParameterThatWasAddedWaitsAndIsADeadLetterThen() {
        assertUnresolvable(
                change(Transfers.class, bean -> bean.call("alice", "bob"), MoreParameters.class),
                "no argument is stored for parameter note");
    }

    static class FewerParameters {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(String payer) throws IOException {
            made.add(payer);
        }
    }

    @Test
    void aParameterThatWasRemovedWaitsAndIsADeadLetterThen() {
        assertUnresolvable(
                change(Transfers.class, bean -> bean.call("alice", "bob"), FewerParameters.class),
                "the stored arguments include \"payee\"");
    }

    /** What a version stores of an order. */
    record Order(String id, @Nullable String total) {}

    static class Orders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(Order order) throws IOException {
            throw new IOException("down");
        }
    }

    private List<DeadLetter> changeOrders(Class<?> present) {
        return change(Orders.class, bean -> bean.call(new Order("17", "9.90")), present);
    }

    record RenamedOrder(String id, @Nullable String amount) {}

    static class RenamedOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(RenamedOrder order) throws IOException {
            made.add(order.toString());
        }
    }

    static class RenamedFieldOrder {

        String id = "";

        @Nullable String amount;
    }

    static class RenamedFieldOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(RenamedFieldOrder order) throws IOException {
            made.add(order.id + order.amount);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {RenamedOrders.class, RenamedFieldOrders.class})
    void aPropertyThatWasRenamedIsNotNullSilently(Class<?> present) {
        assertUnresolvable(changeOrders(present), "(total)", "(amount)", "@JsonAlias");
    }

    record AliasedOrder(
            String id, @JsonAlias("total") @Nullable String amount) {}

    static class AliasedOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(AliasedOrder order) throws IOException {
            made.add(order.toString());
        }
    }

    @Test
    void anAliasNamesAPropertyThatWasRenamed() {
        assertThat(changeOrders(AliasedOrders.class)).isEmpty();

        assertThat(made).containsExactly("AliasedOrder[id=17, amount=9.90]");
    }

    @JsonIgnoreProperties("total")
    record ReplacedOrder(String id, @Nullable String note) {}

    static class ReplacedOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(ReplacedOrder order) throws IOException {
            made.add(order.toString());
        }
    }

    @Test
    void aPropertyThatIsDeclaredToBeGoneIsNoOldName() {
        assertThat(changeOrders(ReplacedOrders.class)).isEmpty();

        assertThat(made).containsExactly("ReplacedOrder[id=17, note=null]");
    }

    record SmallOrder(String id) {}

    static class SmallOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(SmallOrder order) throws IOException {
            made.add(order.toString());
        }
    }

    @Test
    void aPropertyThatWasRemovedIsIgnored() {
        assertThat(changeOrders(SmallOrders.class)).isEmpty();

        assertThat(made).containsExactly("SmallOrder[id=17]");
    }

    record CountedOrder(
            String id,
            @Nullable String total,
            int count,
            boolean gift,
            @Nullable String note) {}

    static class CountedOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(CountedOrder order) throws IOException {
            made.add(order.toString());
        }
    }

    @Test
    void propertiesThatWereAddedHaveTheirDefaultsWithOneWarning(CapturedOutput output) {
        assertThat(changeOrders(CountedOrders.class)).isEmpty();

        assertThat(made).containsExactly("CountedOrder[id=17, total=9.90, count=0, gift=false, note=null]");
        assertThat(output).containsOnlyOnce(" (count, gift, note); these properties");
    }

    record RequiredOrder(
            String id,
            @Nullable String total,
            @JsonProperty(required = true) int count) {}

    static class RequiredOrders {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(RequiredOrder order) throws IOException {
            made.add(order.toString());
        }
    }

    @Test
    void aPropertyThatWasAddedAndIsRequiredWaits() {
        assertUnresolvable(changeOrders(RequiredOrders.class), "count");
    }

    record Total(@Nullable Integer total) {}

    static class Totals {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(Total it) throws IOException {
            throw new IOException("down");
        }
    }

    record PrimitiveTotal(int total) {}

    static class PrimitiveTotals {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(PrimitiveTotal it) throws IOException {
            made.add(it.toString());
        }
    }

    @Test
    void nullIsNotZeroForAPropertyThatIsPrimitiveNow() {
        assertUnresolvable(change(Totals.class, bean -> bean.call(new Total(null)), PrimitiveTotals.class), "null");
    }

    enum Colour {
        RED,
        BLUE
    }

    enum FewerColours {
        RED
    }

    static class Paints {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(Colour colour) throws IOException {
            throw new IOException("down");
        }
    }

    static class FewerPaints {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(FewerColours colour) throws IOException {
            made.add(colour.name());
        }
    }

    @Test
    void anEnumConstantThatIsUnknownWaitsAndIsADeadLetterThen() {
        assertUnresolvable(change(Paints.class, bean -> bean.call(Colour.BLUE), FewerPaints.class), "BLUE");
    }

    enum RenamedColours {
        RED,
        @JsonAlias("BLUE")
        AZURE;

        @Override
        public String toString() {
            return "a colour";
        }
    }

    static class RenamedPaints {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(RenamedColours colour) throws IOException {
            made.add(colour.name());
        }
    }

    @Test
    void anAliasNamesAnEnumConstantThatWasRenamed() {
        assertThat(change(Paints.class, bean -> bean.call(Colour.BLUE), RenamedPaints.class))
                .isEmpty();

        assertThat(made).containsExactly("AZURE");
    }

    @Test
    void theTextOfAnEnumConstantMayChange() {
        assertThat(change(Paints.class, bean -> bean.call(Colour.RED), RenamedPaints.class))
                .isEmpty();

        assertThat(made).containsExactly("RED");
    }

    static class LongAmounts {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void call(String payer, long cents) throws IOException {
            made.add(payer + " pays " + cents);
        }
    }

    @Test
    void aWiderTypeTakesTheValue() {
        assertThat(change(Amounts.class, bean -> bean.call("alice", 5), LongAmounts.class))
                .isEmpty();

        assertThat(made).containsExactly("alice pays 5");
    }
}
