// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("slow")
class GateProblemsTests {

    private static final String ONLY_IF = "retryon.methods.[" + Shop.class.getName() + "#charge].only-if=";

    private static List<String> in(Class<?> beanClass, String... properties) {
        List<String> found = new ArrayList<>();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withBean(beanClass)
                .withPropertyValues(properties)
                .run(context -> found.addAll(GateProblems.in(context.getSourceApplicationContext())));
        return found;
    }

    static Stream<Arguments> isFollowedAsFarAsTypesAreKnown() {
        return Stream.of(
                arguments("#order.status.lenght() == 1", "calls lenght with 0 arguments", "java.lang.String"),
                arguments("#order.getStatus().lenght() == 1", "calls lenght with 0 arguments", "java.lang.String"),
                arguments("#order?.status?.lenght() == 1", "calls lenght with 0 arguments", "java.lang.String"),
                arguments("#order.customer.nmae == 'x'", "the property 'nmae'", "$Customer"),
                arguments("#p0.customer.nmae == 'x'", "the property 'nmae'", "$Customer"),
                arguments("true and !(#order.customer.nmae == 'x')", "the property 'nmae'", "$Customer"),
                arguments("#order.customer.name.lenght == 1", "the property 'lenght'", "java.lang.String"),
                arguments("#order.unit.nmae() == 'x'", "calls nmae with 0 arguments", "java.util.concurrent.TimeUnit"),
                arguments("#target.limits.maximmum > 1", "the property 'maximmum'", "$Limits"),
                arguments(
                        "#order.unit == 'DAYS'", "java.util.concurrent.TimeUnit, with the text 'DAYS'", "never equals"),
                arguments(
                        "!('DAYS' != #order?.unit)", "with the text 'DAYS'", "T(java.util.concurrent.TimeUnit).NANOS"),
                arguments("#order.state == 'OPEN'", "$State, with the text 'OPEN'", "$State).OPEN"),
                arguments(
                        "#order.unit == T(java.util.concurrent.TimeUnit).DAIS",
                        "the constant 'DAIS', which is not one of [NANOSECONDS, ",
                        "in java.util.concurrent.TimeUnit"),
                arguments("unitt.name() == 'x'", "the property 'unitt'", "$Shop"),
                arguments("#order.equals(unitt)", "the property 'unitt'", "$Shop"),
                arguments("#elapsed.secondz > 1", "the property 'secondz'", "java.time.Duration"),
                arguments(
                        "T(java.lang.Math).foo(1) == 2",
                        "calls foo with 1 argument",
                        "java.lang.Math has no such static method"),
                arguments(
                        "true and T(String).lenght() == 1",
                        "calls lenght",
                        "java.lang.String has no such static method"),
                arguments("new com.acme.Rule().holds()", "'com.acme.Rule'", "not on the class path"),
                arguments("#error instanceof T(com.acme.Rule)", "'com.acme.Rule'", "not on the class path"),
                arguments("#attempt = 2", "assigns a value", "to compare values, use =="),
                arguments(
                        "#args[2] == 'x'", "names #args[2]", "the index starts at 0, and the number of arguments is 2"),
                arguments("limits()", "returns ", "$Limits (limits()), which is not a boolean"),
                arguments("'#order' == 'x'", "does not depend on the call", "plain text"),
                arguments("1 > 2 ? false : null", "does not depend on the call", "plain text"),
                arguments("#order.customer.name", "returns java.lang.String", "not a boolean"),
                arguments("#order.customer.name.length()", "returns int", "not a boolean"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void isFollowedAsFarAsTypesAreKnown(String gate, String quoted, String type) {
        assertThat(in(Shop.class, ONLY_IF + gate))
                .singleElement()
                .asString()
                .startsWith(Shop.class.getName() + "#charge(")
                .contains("): onlyIf is '" + gate + "' (retryon.methods[", quoted, type);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#order.customer.name == 'x'",
                "#order.customer.name.length() == 1",
                "#order.customer.vip",
                "#order.status.empty",
                "#order.unit.name() == 'DAYS'",
                "#order.unit.name == 'DAYS'",
                "#order.unit == T(java.util.concurrent.TimeUnit).DAYS",
                "#order.unit != null and #order.unit != #order.content",
                "T(java.util.concurrent.TimeUnit).simpleName == 'TimeUnit'",
                "#order.lines.?[unit == 'DAYS'].empty", // of a line, not of the bean
                "#order.lines[0].anything == 1",
                "#order.lines.![anything][0] == 1",
                "#order.lines.?[anything == 1].empty",
                "#order.lines.anything == 1", // an interface, whose implementation can have more
                "#order.notes.anything == 1", // the key of a map
                "#order.notes['x'].anything == 1",
                "#order.content.anything == 1", // any object
                "#order.box.value.anything == 1", // a type variable
                "#order.box.number.anything == 1", // a type variable with a bound
                "#order.boxes.first.anything == 1",
                "#order.maybe?.anything == 1", // what an optional holds
                "#order.failure.anything == 1",
                "#order.names.length == 2",
                "#order.names[0].anything == 1",
                "#order.either('x').name == 'x'", // of two overloads only one gives a type that has it
                "#order.type.MAX_VALUE > 0",
                "#order.state.weight > 0", // an enum whose constants have bodies
                "#order.payment.number == 1", // a class that can have subclasses
                "#order.payment.kind == 'CARD' and #order.payment.number == 1",
                "#order.date.nanos == 7",
                "#order.getDate() instanceof T(java.sql.Timestamp) and #order.date.nanos == 7",
                "isTimestamp(#order.date) and #order.date.nanos == 7",
                "#order.customer.eMailed",
                "true",
                "isTimestamp(#order.date)",
                "#args.length > 2 and #args[2] == 'x'",
                "T(Math).max(1, 2) == #attempt",
                "T(String).format('a') == #p0", // varargs, of which there can be none
                "T(Math).getName() == #p0", // each class is an object too
                "#error.message matches '[a-z]+'",
                "#order.date instanceof T(java.sql.Timestamp) and #order.date.nanos == 7",
                "#order?.date instanceof T(java.sql.Timestamp) and #order.date.nanos == 7",
                "#order.date.class.simpleName == 'Timestamp' and #order.date.nanos == 7",
                "T(java.sql.Timestamp).isInstance(#order.date) and #order.date.nanos == 7",
                "#other instanceof T(java.lang.Runnable) and #other.run() == 1",
                "#other.getClass().simpleName == 'x' and #other.missing == 1",
                "#other.hidden().length() == 1", // of the bean's class, any method
                "limits.maximum > 1",
                "limits().maximum.intValue() > 1",
                "{limits}.?[maximum > 1].empty",
            })
    void nothingIsWrongWithMembersThatMayExist(String gate) {
        assertThat(in(Shop.class, ONLY_IF + gate)).isEmpty();
    }

    @Test
    void typeVariablesMayHaveMoreMembersThanTheirBound() {
        assertThat(in(Cards.class)).isEmpty();
    }

    @Test
    void keysOfBudgetsAreCheckedTooButNeedNotBeBooleans() {
        assertThat(in(Tenants.class))
                .satisfiesExactly(
                        problem -> assertThat(problem)
                                .contains("#misspelt(", "budgetKey is '#customer.nmae'", "the property 'nmae'"),
                        problem -> assertThat(problem)
                                .contains("#quoted(", "budgetKey is ''#customer''", "it does not depend on the call"));
    }

    @Test
    void anApplicationWithoutRetriesHasNone() {
        new ApplicationContextRunner()
                .run(context -> assertThat(GateProblems.in(context.getSourceApplicationContext()))
                        .isEmpty());
    }

    static class Shop {

        public TimeUnit getUnit() {
            return TimeUnit.DAYS;
        }

        @RetryOn(IOException.class)
        public void charge(Order order, Shop other) throws IOException {
            throw new IOException();
        }

        public Limits getLimits() {
            return new Limits(2);
        }

        public Limits limits() {
            return new Limits(2);
        }

        public boolean isTimestamp(Date date) {
            return date instanceof Timestamp;
        }

        private String hidden() {
            return "";
        }
    }

    static class Tenants {

        @RetryOn(value = IOException.class, budget = "default", budgetKey = "#customer.name")
        public void correct(Customer customer) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, budget = "default", budgetKey = "#customer.nmae")
        public void misspelt(Customer customer) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, budget = "default", budgetKey = "'#customer'")
        public void quoted(Customer customer) throws IOException {
            throw new IOException();
        }
    }

    public record Limits(Integer maximum) {}

    public static final class Customer {

        public String getName() {
            return "";
        }

        public boolean isVip() {
            return true;
        }

        public boolean iseMailed() {
            return true;
        }
    }

    public static class Payment {

        public String getKind() {
            return "";
        }
    }

    public static class CardPayment extends Payment {

        public int getNumber() {
            return 1;
        }
    }

    /** Cards alone, so that its gates can name what only cards have. */
    static class Cards extends Payments<CardPayment> {}

    static class Payments<P extends Payment> {

        @RetryOn(value = IOException.class, onlyIf = "#payment.number == 1", retryIf = "#result.number == 2")
        public P charge(P payment) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, onlyIf = "#payment.anything == 1", retryIf = "#result.anything == 2")
        public <T extends Payment> T refund(T payment) throws IOException {
            throw new IOException();
        }
    }

    public static class Box<T, N extends Number> {

        public T getValue() {
            throw new UnsupportedOperationException();
        }

        public N getNumber() {
            throw new UnsupportedOperationException();
        }
    }

    public static class Customers<C extends Customer> {

        public C getFirst() {
            throw new UnsupportedOperationException();
        }
    }

    public enum State {
        OPEN {
            @Override
            public String toString() {
                return "";
            }
        }
    }

    public record Order(
            String status,
            Customer customer,
            TimeUnit unit,
            List<Customer> lines,
            Map<String, Object> notes,
            Object content,
            Box<Customer, Integer> box,
            Customers<Customer> boxes,
            Optional<Customer> maybe,
            IOException failure,
            String[] names,
            Class<?> type,
            State state,
            Date date,
            Payment payment) {

        public Date getDate() {
            return date;
        }

        public String getStatus() {
            return status;
        }

        public Customer customerOf(int line) {
            return lines.get(line);
        }

        public Customer either(String name) {
            return customer;
        }

        public Limits either(int number) {
            return new Limits(number);
        }
    }
}
