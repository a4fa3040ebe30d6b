// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.retryon.durable.Redacted;
import dev.retryon.spring.module.RetriedMethod;
import jakarta.servlet.http.HttpServletRequest;
import java.io.InputStream;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.OverridingClassLoader;
import org.springframework.core.io.Resource;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Mono;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Arguments of calls become JSON, and come back; or it is said why not. */
class StoredArgumentsTests {

    private static final StoredArguments ARGUMENTS = new StoredArguments(List.of(), 64 * 1024);

    @Test
    void recordsTimesAndMoneyComeBackAsTheyWere() {
        Order order = new Order(
                UUID.fromString("0fdc2a26-3d21-4d35-9b0c-3bd4c4d8d2a5"),
                new BigDecimal("19.90"),
                Instant.parse("2026-02-03T04:05:06.123456789Z"),
                ZonedDateTime.of(2026, 7, 1, 12, 0, 0, 0, ZoneId.of("Europe/Berlin")),
                OffsetDateTime.parse("2026-07-01T12:00:00+05:30"),
                LocalDate.of(2026, 2, 28),
                Duration.ofMillis(1500),
                Optional.of("gift"),
                Optional.empty(),
                List.of(new Item("book", 2), new Item("pen", 1)),
                Map.of(LocalDate.of(2026, 3, 1), Set.of(Colour.RED)),
                new byte[] {1, 2, 3},
                Locale.CANADA_FRENCH,
                null);

        assertThat(back("order", order))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(order);
    }

    record Order(
            UUID id,
            BigDecimal total,
            Instant at,
            ZonedDateTime zoned,
            OffsetDateTime offset,
            LocalDate day,
            Duration duration,
            Optional<String> note,
            Optional<String> none,
            List<Item> items,
            Map<LocalDate, Set<Colour>> days,
            byte[] bytes,
            Locale locale,
            @Nullable String missing) {}

    record Item(String name, int count) {}

    enum Colour {
        RED,
        GREEN {}
    }

    @Test
    void primitivesArraysAndNullsComeBack() {
        assertThat(back("plain", 1, 2L, 0.1, 'c', true, new int[] {1, 2}, new String[] {"a", null}, null, Colour.GREEN))
                .containsExactly(1, 2L, 0.1, 'c', true, new int[] {1, 2}, new String[] {"a", null}, null, Colour.GREEN);
    }

    @Test
    void elementsOfGenericTypesComeBackAsWhatTheyWere() {
        List<Item> items = List.of(new Item("book", 1));

        assertThat(back("generic", items, Map.of("a", Optional.of(items)), new Box<>(new Item("pen", 2))))
                .containsExactly(items, Map.of("a", Optional.of(items)), new Box<>(new Item("pen", 2)));
    }

    record Box<T>(T content) {}

    @Test
    void theBeanClassSaysWhatATypeVariableIs() {
        Method inherited = method(Base.class, "handle");

        assertThat(ARGUMENTS.faults(Handler.class, inherited)).isEmpty();
        assertThat(ARGUMENTS.decode(Handler.class, inherited, "[{\"name\":\"book\",\"count\":3}]"))
                .containsExactly(new Item("book", 3));
        assertThat(ARGUMENTS.faults(Base.class, inherited)).hasSize(1);
    }

    static class Base<T> {

        void handle(T item) {}
    }

    static class Handler extends Base<Item> {}

    @Test
    void typesOfAnyFormAreResolved() {
        Class<?> beans = Listed.class;

        assertThat(ARGUMENTS.faults(beans, method(Forms.class, "lists"))).isEmpty();
        assertThat(ARGUMENTS.decode(
                        beans, method(Forms.class, "lists"), "[[[{\"name\":\"a\",\"count\":1}]],[[\"b\"]]]"))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(List.of(List.of(new Item("a", 1))), new List<?>[] {List.of("b")});
        assertThat(ARGUMENTS.decode(beans, method(Forms.class, "bounded"), "[[1],\"RED\"]"))
                .startsWith(List.of(1));
        assertThat(ARGUMENTS.faults(beans, method(Forms.class, "recursive"))).hasSize(1);
    }

    abstract static class Forms<T> {

        abstract void lists(List<T> a, List<String>[] b);

        abstract void bounded(List<? extends Integer> a, String b);

        abstract <C extends Comparable<C>> void recursive(C it);
    }

    abstract static class Listed extends Forms<List<Item>> {}

    @Test
    void aTextForAPrimitiveIsNotMissing() {
        assertThatIllegalArgumentException().isThrownBy(() -> decode("item", "[{\"name\":\"book\",\"count\":\"\"}]"));
        assertThat(decode("item", "[{\"name\":\"book\"}]")).containsExactly(new Item("book", 0));
    }

    @Test
    void objectsAreStoredByTheirFields() {
        Account account = new Account("DE12", List.of("a"));

        @Nullable Object[] back = back("account", account);

        assertThat(back).usingRecursiveFieldByFieldElementComparator().containsExactly(account);
        assertThat(encode("account", account)).isEqualTo("{\"it\":{\"iban\":\"DE12\",\"owners\":[\"a\"]}}");
    }

    /** Has a getter that is no property, and no setters. */
    static class Account {

        private String iban = "";

        private List<String> owners = new ArrayList<>();

        protected Account() {}

        Account(String iban, List<String> owners) {
            this.iban = iban;
            this.owners = owners;
        }

        public int getOwnerCount() {
            return owners.size();
        }
    }

    @Test
    void subtypesAreChosenByNamesThatTheTypeMapsToThem() {
        List<Shape> shapes = List.of(new Circle(1), new Square(2));

        assertThat(encode("shapes", shapes))
                .isEqualTo("{\"it\":[{\"kind\":\"circle\",\"r\":1},{\"kind\":\"square\",\"a\":2}]}");
        assertThat(back("shapes", shapes)).containsExactly(shapes);
        assertThat(faults("shapes")).isEmpty();
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Square.class, name = "square")
    })
    sealed interface Shape {}

    record Circle(int r) implements Shape {}

    record Square(int a) implements Shape {}

    @Test
    void aTextCanNotNameClasses() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("shapes", "[[{\"kind\":\"java.io.File\",\"path\":\"/\"}]]"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("shapes", "[[{\"@class\":\"" + Loaded.class.getName() + "\"}]]"));
        assertThat(faults("byClass")).singleElement().asString().contains("only NAME is allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("byClass", "[{\"@class\":\"" + Loaded.class.getName() + "\"}]"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("hidden", "[{\"type\":\"" + Loaded.class.getName() + "\"}]"));
        assertThat(loaded).isFalse();
    }

    @Test
    void aKeyOfAMapCanNotNameClasses() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("keys", "[{\"types\":{\"" + LoadedByKey.class.getName() + "\":1}}]"))
                .withMessageContaining("stored JSON must not name classes");
        assertThat(loadedByKey).isFalse();
        assertThat(warnings("keys")).singleElement().asString().contains("its property types is of type ");
    }

    record Keys(Map<Class<?>, Integer> types) {}

    private static boolean loadedByKey;

    static class LoadedByKey {

        static {
            loadedByKey = true;
        }
    }

    @Test
    void aPlaceThatMayNotComeBackIsAWarningWithItsPath() {
        assertThat(warnings("doubtful"))
                .containsExactly("calls might be rejected, because of parameter it of method doubtful: its property"
                        + " lines.details is of type java.util.Map<java.lang.String,java.lang.Object>: the stored"
                        + " JSON does not name the class of a value, so only strings, Integer, BigDecimal, Boolean,"
                        + " lists and maps can be read back; declare the class that you store; its property discount"
                        + " is of type java.lang.Number: the stored JSON does not name the class of a Number, so only"
                        + " Integer, BigDecimal and numbers that are too large for an int can be read back; declare"
                        + " the class that you store");
        assertThat(warnings("numbers")).singleElement().asString().contains("class of a Number");
    }

    @ParameterizedTest
    @ValueSource(strings = {"objects", "rawList", "details", "objectArray"})
    void anElementOfAnyClassIsAWarning(String name) {
        assertThat(faults(name)).isEmpty();
        assertThat(warnings(name)).singleElement().asString().contains("does not name the class of a value");
        assertThat(warnings("object")).isEmpty(); // a fault already
    }

    @Test
    void elementsOfAnyClassComeBackIfTheTextIsEnough() {
        Object[] details = {"text", 1, new BigDecimal("1.50"), true, List.of("a"), Map.of("b", 2)};
        assertThat(back("objectArray", (Object) details)).containsExactly((Object) details);
        assertThatIllegalArgumentException().isThrownBy(() -> back("objects", List.of(1L)));
    }

    record Doubtful(
            List<Doubt> lines, Number discount, @Nullable Doubtful before) {}

    record Doubt(String name, Map<String, Object> details) {}

    @ParameterizedTest
    @ValueSource(strings = {"order", "item", "generic", "account", "shapes", "node", "json", "certain", "plain"})
    void typesThatComeBackGetNoWarning(String name) {
        assertThat(faults(name)).isEmpty();
        assertThat(warnings(name)).isEmpty();
    }

    static class Certain {

        @JsonIgnore
        @Nullable Object cache;

        transient @Nullable Object listener;

        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
        @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
        @Nullable Object shape;

        @JsonDeserialize(as = Integer.class)
        @Nullable Number count;

        @Nullable Box<Item> box;

        @Nullable JsonNode json;
    }

    private static boolean loaded;

    static class Loaded implements ByClass {

        static {
            loaded = true;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface ByClass {}

    record Hidden(Class<?> type) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stream",
                "input",
                "principal",
                "lambda",
                "function",
                "object",
                "variable",
                "request",
                "resource",
                "mono",
                "serializable",
                "type",
                "listOfStreams",
                "array",
                "ownInterface",
                "money",
                "prices",
                "built",
                "keysByFactory"
            })
    void typesThatCanNotComeBackAreFaults(String name) {
        assertThat(faults(name))
                .singleElement()
                .asString()
                .startsWith("parameter it of method " + name + " is of type ")
                .contains(", which cannot be stored: ");
    }

    /** Has no constructor that could be called without knowing what its parameter is. */
    static final class Price {

        private final String text;

        private Price(String text) {
            this.text = text;
        }

        static Price of(String text) {
            return new Price(text);
        }

        String text() {
            return text;
        }
    }

    static final class Built {

        private final String text;

        private Built(Builder builder) {
            this.text = builder.text;
        }

        String text() {
            return text;
        }

        static class Builder {

            private String text = "";

            Built build() {
                return new Built(this);
            }
        }
    }

    record Bill(String id, @Nullable Price price) {}

    @Test
    void aTypeThatCanBeWrittenButNotReadIsAFault() {
        assertThat(faults("money"))
                .containsExactly("parameter it of method money is of type " + Price.class.getName()
                        + ", which cannot be stored: " + Price.class.getName()
                        + " cannot be created when it is read; add a constructor without parameters, or annotate a"
                        + " constructor or factory method with @JsonCreator");
    }

    @Test
    void aPropertyThatCanNotBeReadIsAWarning() {
        assertThat(faults("bill")).isEmpty();
        assertThat(warnings("bill"))
                .singleElement()
                .asString()
                .contains("its property price is of type " + Price.class.getName() + ": ")
                .contains("cannot be created when it is read");
    }

    @Test
    void oneFaultPerParameterSaysWhatToDo() {
        assertThat(faults("two"))
                .containsExactly(
                        "parameter in of method two is of type java.io.InputStream, which cannot be stored: it is bound"
                                + " to a resource of this process; use its content",
                        "parameter who of method two is of type java.security.Principal, which cannot be stored: it belongs"
                                + " to a user's request; use the user's id");
    }

    @Test
    void theBeanNeedNotImplementTheInterfaceOfTheMethod() {
        Method text = method(Methods.class, "text");

        assertThat(ARGUMENTS.faults(Object.class, text)).isEmpty();
        assertThat(ARGUMENTS.encode(Object.class, text, new Object[] {"a"})).isEqualTo("{\"it\":\"a\"}");
    }

    @Test
    void aFaultNamesTheType() {
        assertThat(faults("listOfStreams"))
                .singleElement()
                .asString()
                .contains(
                        "it of method listOfStreams is of type"
                                + " java.util.Map<java.lang.String, java.util.List<java.io.InputStream>>, which cannot be stored");
        assertThat(faults("array")).singleElement().asString().contains(" is of type java.security.Principal[], which");
        assertThat(faults("variable")).singleElement().asString().contains(" is of type java.lang.Object, which");
    }

    @Test
    void aMethodWithoutParametersHasAnEmptyArray() {
        assertThat(encode("nothing")).isEqualTo("[]");
        assertThat(decode("nothing", " [ ] ")).isEmpty();
        assertThat(decode("nothing", "{}")).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> decode("nothing", "null"));
    }

    @Test
    void anArgumentThatWouldComeBackAsLessIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encode("account", new Premium()))
                .withMessageContaining(
                        "a dev.retryon.durable.internal.invocation.StoredArgumentsTests$Premium is read back as a"
                                + " dev.retryon.durable.internal.invocation.StoredArgumentsTests$Account");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encode("fixed", new Fixed("a")))
                .withMessageContaining("parameter it of ");
    }

    static class Premium extends Account {

        int level = 3;
    }

    /** Nothing can set its field again. */
    static class Fixed {

        private final String text;

        private Fixed() {
            this("");
        }

        private Fixed(String text) {
            this.text = text;
        }

        public String getText() {
            return text;
        }
    }

    @Test
    void aHiddenFieldThatWouldBeLostIsNamedWithTheWayOut() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encode("holder", new Holder("a")))
                .withMessageContaining(" cannot be stored: at inner.text a value would be lost, because this field of "
                        + Inner.class.getName() + " is not stored. The cause is an annotation, a subclass field that"
                        + " hides it, or the stored form of the class. If the method does not need the field,"
                        + " annotate it with @JsonIgnore");
    }

    static class Holder {

        Inner inner = new Inner();

        Holder() {}

        Holder(String text) {
            inner.text = text;
        }
    }

    static class Inner {

        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        @Nullable String text;
    }

    @Test
    void aProxyIsRefusedWithTheWayOut() {
        Object proxy = new ProxyFactory(new Account("DE12", List.of())).getProxy();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> encode("account", proxy))
                .withMessageContaining(" is a proxy that was generated at run time; pass the object that it wraps"
                        + " (Hibernate.unproxy returns it for a Hibernate entity), or its id");
    }

    @Test
    void anObjectThatHoldsItselfIsRefused() {
        Node node = new Node();
        node.next = node;

        assertThatIllegalArgumentException().isThrownBy(() -> encode("node", node));
    }

    static class Node {

        @Nullable Node next;
    }

    @Test
    void longTextsAreRefused() {
        StoredArguments small = new StoredArguments(List.of(), 15);
        Method text = method(Methods.class, "text");

        assertThat(small.encode(Methods.class, text, new Object[] {"123456"})).hasSize(15);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> small.encode(Methods.class, text, new Object[] {"1234567"}))
                .withMessageContaining("are longer than 15 bytes as JSON; ")
                .withMessageEndingWith("retryon.dead-letter.max-arguments-size");
        // 4 characters of 2 bytes and 4 others
        assertThatIllegalArgumentException().isThrownBy(() -> small.encode(Methods.class, text, new Object[] {"äöüß"}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> small.decode(Methods.class, text, "[\"" + "x".repeat(10_000_000) + "\"]"));
    }

    @Test
    void whatANewVersionDoesNotKnowIsIgnored() {
        assertThat(decode("item", "[{\"name\":\"book\",\"count\":1,\"colour\":\"red\"}]"))
                .containsExactly(new Item("book", 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "{}",
                "[",
                "[{\"name\":\"book\"",
                "[{\"name\":\"book\",\"count\":1}",
                "[]",
                "[1,2]",
                "[,]",
                "[]]",
                "[{\"name\":\"book\",\"count\":1}] []",
                "[{\"name\":\"book\",\"count\":1}}]",
                "[\"",
                "[{\"name\":1]",
                "[\"\\",
                "]["
            })
    void textsThatDoNotFitAreRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> decode("item", text));
    }

    @Test
    void deepTextsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("node", "[" + "{\"next\":".repeat(5000) + "null" + "}".repeat(5000) + "]"));
    }

    @Test
    void nullForAPrimitiveIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> decode("number", "[null]"));
    }

    @Test
    void redactedArgumentsAreStoredButNotShown() {
        Method charge = method(Methods.class, "charge");
        String text = ARGUMENTS.encode(Methods.class, charge, new Object[] {"a,b", "4111", 3});

        assertThat(text).isEqualTo("{\"order\":\"a,b\",\"card\":\"4111\",\"times\":3}");
        StoredParameters parameters = new StoredParameters(Methods.class, charge);
        assertThat(StoredArguments.redact(parameters, text))
                .isEqualTo("{\"order\":\"a,b\",\"card\":\"[redacted]\",\"times\":3}");
        assertThat(StoredArguments.redact(parameters, "[\"a,b\",\"4111\",3]")).isEqualTo("[\"a,b\",\"[redacted]\",3]");
        assertThat(ARGUMENTS.redact((RetriedMethod) null, text)).isNull();
        assertThat(StoredArguments.redact(parameters, "[\"4111\"]")).isNull();
        assertThat(StoredArguments.redact(parameters, "\"4111\"")).isNull();
        assertThat(StoredArguments.redact(parameters, "null")).isNull();
    }

    @Test
    void aLineOfArgumentsNeedsOnlyTheirBeginning() {
        assertThat(line("{\"order\":\"a,b\",\"card\":\"4111\",\"times\":3}"))
                .isEqualTo("order: \"a,b\", card: [redacted], times: 3");
        assertThat(line("[\"a,b\",\"4111\",3,4]")).isEqualTo("\"a,b\", [redacted], 3, [redacted]");
        assertThat(line("{\"order\":{\"id\":[1,\"}\\\"\"]},\"c\\u0061rd\":[\"4111\"],\"new\":1},\"state\":{}"))
                .isEqualTo("order: {\"id\":[1,\"}\\\"\"]}, card: [redacted], new: [redacted]");
        assertThat(line("[]")).isEmpty();

        assertThat(line("{\"order\":\"a,")).isEqualTo("order: \"a,…");
        assertThat(line("{\"order\":{\"id\":[12")).isEqualTo("order: {\"id\":[12…");
        assertThat(line("{\"order\":{\"id\":tr")).isEqualTo("order: {\"id\":tr…");
        assertThat(line("{\"order\":\"a\",\"card\":\"41")).isEqualTo("order: \"a\", card: [redacted]…");
        assertThat(line("{\"times\":3,\"car")).isEqualTo("times: 3…");
        assertThat(line("{\"order\":\"" + "x".repeat(300) + "\"}")).isEqualTo("order: \"" + "x".repeat(192) + "…");
        assertThat(line("{\"order\":\"" + "x".repeat(191) + "\ud83d\ude00\"}"))
                .isEqualTo("order: \"" + "x".repeat(191) + "…");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"order\":\"a\" \"card\":\"4111\"}",
                "{\"order\":a, \"card\":1}",
                "\"4111\"",
                "null",
                "4111",
                ""
            })
    void aTextThatIsNotJsonHasNoLine(String text) {
        assertThat(line(text)).isNull();
    }

    private static @Nullable String line(String start) {
        return new ArgumentLine(new StoredParameters(Methods.class, method(Methods.class, "charge")), start).read();
    }

    record Card(String holder, @Redacted String number) {}

    static class Cards {

        @Nullable Card first;

        List<Card> others = new ArrayList<>();
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = ByCard.class, name = "card"))
    interface Payment {}

    record ByCard(Card card) implements Payment {}

    @ParameterizedTest
    @ValueSource(strings = {"cards", "holds", "payment"})
    void anArgumentWithARedactedComponentIsNotShown(String name) {
        StoredParameters parameters = new StoredParameters(Methods.class, method(Methods.class, name));
        assertThat(StoredArguments.redact(parameters, "[{\"number\":\"4111\"}]"))
                .isEqualTo("[\"[redacted]\"]");
    }

    static class Absent {}

    static class OfAnotherLibrary {

        @Nullable Absent absent;
    }

    static class WithIgnored {

        String text = "";

        @JsonIgnore
        @Nullable OfAnotherLibrary ignored;
    }

    interface Taking {

        void take(WithIgnored it);
    }

    @Test
    void anIgnoredFieldOfALibraryThatIsNotThereIsNoFault() throws ClassNotFoundException {
        ClassLoader withoutAbsent = new OverridingClassLoader(getClass().getClassLoader()) {

            @Override
            protected boolean isEligibleForOverriding(String className) {
                return className.startsWith(StoredArgumentsTests.class.getName());
            }

            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.equals(Absent.class.getName())) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }
        };
        Class<?> taking = withoutAbsent.loadClass(Taking.class.getName());

        assertThat(ARGUMENTS.faults(taking, method(taking, "take"))).isEmpty();
    }

    /** A raw use has a type variable whose bound contains the variable. */
    @SuppressWarnings("rawtypes")
    static class Tree<T extends Tree<T>> {

        String name = "";

        @Nullable Tree parent;
    }

    @Test
    void aRawTypeWhoseVariableIsBoundByItselfIsStored() {
        Tree<?> tree = new Tree<>();
        tree.name = "leaf";

        assertThat(back("tree", tree))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(tree);
    }

    @Test
    void messagesDoNotQuoteARedactedComponent() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("cards", "[[{\"holder\":{\"4111\":1}}]]"))
                .withNoCause()
                .satisfies(ex -> assertThat(ex.getMessage()).doesNotContain("4111"));
    }

    @Test
    void anInterfaceCanHideAnArgumentToo() {
        Method pay = method(Gateway.class, "pay");

        assertThat(StoredArguments.redact(new StoredParameters(Gateway.class, pay), "[\"4111\"]"))
                .isEqualTo("[\"[redacted]\"]");
    }

    interface Payments {

        void pay(@Redacted String card);
    }

    static class Gateway implements Payments {

        @Override
        public void pay(String card) {}
    }

    @Test
    void messagesDoNotQuoteWhatIsRedacted() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode("secret", "[\"4111\"]"))
                .withMessageContaining("parameter pin of ")
                .withNoCause()
                .satisfies(ex -> assertThat(ex.getMessage()).doesNotContain("4111"));
    }

    @Test
    void aRedactedArgumentThatWouldChangeIsRefusedWithoutItsValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encode("number", new Object[] {List.of(5L)}))
                .withMessageContaining("parameter it of ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encode("secretDetails", Map.of("4111", 5L)))
                .withMessageEndingWith("cannot be stored, because it would change when it is read back");
    }

    static class Angry {

        @Override
        public boolean equals(@Nullable Object other) {
            throw new StackOverflowError();
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    @Test
    void aComparisonThatFailsIsARefusal() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encode("angry", new Angry()))
                .withMessageContaining("cannot be compared");
    }

    @Test
    void aSerializerThatLiesIsFoundOut() {
        for (Consumer<JsonGenerator> lie : List.<Consumer<JsonGenerator>>of(
                generator -> {},
                generator -> generator.writeRawValue("\"a\",\"b\""),
                generator -> generator.writeRawValue("\"a\",\"other\":\"b\""),
                generator -> generator.writeRawValue("]"),
                generator -> {
                    throw new StackOverflowError();
                })) {
            SimpleModule module = new SimpleModule().addSerializer(String.class, new Lying(lie));
            StoredArguments lying = new StoredArguments(List.of(builder -> builder.addModule(module)), 100);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lying.encode(Methods.class, method(Methods.class, "text"), new Object[] {"a"}));
        }
    }

    private static final class Lying extends StdSerializer<String> {

        private final transient Consumer<JsonGenerator> lie;

        Lying(Consumer<JsonGenerator> lie) {
            super(String.class);
            this.lie = lie;
        }

        @Override
        public void serialize(String value, JsonGenerator generator, SerializationContext context) {
            lie.accept(generator);
        }
    }

    private static @Nullable Object[] back(String name, @Nullable Object... arguments) {
        return decode(name, encode(name, arguments));
    }

    private static String encode(String name, @Nullable Object... arguments) {
        return ARGUMENTS.encode(Methods.class, method(Methods.class, name), arguments);
    }

    private static @Nullable Object[] decode(String name, String text) {
        return ARGUMENTS.decode(Methods.class, method(Methods.class, name), text);
    }

    private static List<String> faults(String name) {
        return ARGUMENTS.faults(Methods.class, method(Methods.class, name));
    }

    private static List<String> warnings(String name) {
        return ARGUMENTS.warnings(Methods.class, method(Methods.class, name));
    }

    private static Method method(Class<?> type, String name) {
        return Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
                .filter(method -> method.getName().equals(name) && !method.isBridge())
                .findFirst()
                .orElseThrow();
    }

    @SuppressWarnings("rawtypes")
    interface Methods {

        void nothing();

        void text(String it);

        void number(int it);

        void order(Order it);

        void item(Item it);

        void plain(int a, long b, double c, char d, boolean e, int[] f, String[] g, @Nullable String h, Colour i);

        void generic(List<Item> a, Map<String, Optional<List<Item>>> b, Box<Item> c);

        void account(Account it);

        void fixed(Fixed it);

        void holder(Holder it);

        void node(Node it);

        void shapes(List<Shape> it);

        void byClass(ByClass it);

        void hidden(Hidden it);

        void keys(Keys it);

        void doubtful(Doubtful it);

        void numbers(List<Number> it);

        void json(JsonNode it);

        void certain(Certain it);

        void charge(String order, @Redacted String card, int times);

        void secret(@Redacted int[] pin);

        void secretDetails(@Redacted Map<String, Object> it);

        void angry(Angry it);

        @SuppressWarnings("rawtypes")
        void tree(Tree it);

        void two(InputStream in, String text, Principal who);

        void stream(Stream<String> it);

        void input(InputStream it);

        void principal(Principal it);

        void lambda(Runnable it);

        void function(Supplier<String> it);

        void object(Object it);

        void objects(List<Object> it);

        void rawList(List it);

        void details(Map<String, ?> it);

        void objectArray(Object... it);

        <T> void variable(T it);

        void request(HttpServletRequest it);

        void resource(Resource it);

        void mono(Mono<String> it);

        void serializable(Serializable it);

        void type(Class<?> it);

        void listOfStreams(Map<String, List<InputStream>> it);

        void array(Principal[] it);

        void ownInterface(CharHandler it);

        void money(Price it);

        void prices(List<Price> it);

        void built(Built it);

        void keysByFactory(Map<String, Optional<Price>> it);

        void bill(Bill it);

        void holds(Cards it);

        void cards(List<Card> it);

        void payment(Payment it);
    }

    interface CharHandler {

        void take(char next);
    }
}
