// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import dev.retryon.durable.internal.invocation.ArgumentKindsTests.Kind;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Records, beans and untyped values that come back as they were. */
final class KeptBeans {

    private KeptBeans() {}

    static Stream<Kind<?>> all() {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("n", "5").put("b", true);
        return Stream.of(
                new Kind<Point>("record", new Point(1, 2)) {},
                new Kind<Box<List<Point>>>("generic record", new Box<>(List.of(new Point(1, 2)))) {},
                new Kind<Box<Box<BigDecimal>>>("nested generics", new Box<>(new Box<>(new BigDecimal("1.10")))) {},
                new Kind<Normal>("record that changes its components", new Normal(" A ", null)) {},
                new Kind<Animal>("subclass with a name", new Cat("Tom", 9)) {},
                new Kind<List<Animal>>("subclasses with names", List.of(new Cat("Tom", 9), new Dog("Rex"))) {},
                new Kind<Bean>("bean with private fields", new Bean("a", List.of(new Point(1, 2)))) {},
                new Kind<SubBean>("bean with a superclass", new SubBean("a", 3)) {},
                new Kind<Holder>("bean with an ignored field", new Holder("a")) {},
                new Kind<Sparse>("bean without its nulls", new Sparse()) {},
                new Kind<Money>("value by @JsonValue", new Money("EUR 5")) {},
                new Kind<Colour>("enum with its own text", Colour.DARK_RED) {},
                new Kind<Map<Colour, Colour>>("enum keys with their own text", Map.of(Colour.RED, Colour.DARK_RED)) {},
                new Kind<Untyped>(
                        "untyped map",
                        new Untyped(Map.of(
                                "text", "a", "int", 1, "big", Long.MAX_VALUE, "money", new BigDecimal("1.10")))) {},
                new Kind<Untyped>("lists in an untyped map", new Untyped(Map.of("a", List.of(1, true, "b")))) {},
                new Kind<Numbers>("numbers", new Numbers(new BigDecimal("12345678901234567.89"), List.of(1))) {},
                new Kind<JsonNode>("JSON", json) {},
                new Kind<Empty>("record without components", new Empty()) {},
                new Kind<Set<Point>>("set of records", Set.of(new Point(1, 2), new Point(3, 4))) {},
                new Kind<Tags>("list with a class of its own", new Tags(List.of("a", "b"))) {},
                new Kind<Tree>("parent and child", Tree.of("a", "b")) {});
    }

    record Point(int x, int y) {}

    record Box<T>(T content) {}

    record Empty() {}

    record Normal(String text, @Nullable List<String> tags) {

        Normal {
            text = text.strip();
            tags = tags == null ? List.of() : new ArrayList<>(tags);
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Cat.class, name = "cat"),
        @JsonSubTypes.Type(value = Dog.class, name = "dog")
    })
    interface Animal {}

    record Cat(String name, int lives) implements Animal {}

    record Dog(String name) implements Animal {}

    static class Bean {

        private String name = "";

        private List<Point> points = new ArrayList<>();

        protected Bean() {}

        Bean(String name, List<Point> points) {
            this.name = name;
            this.points = points;
        }

        String name() {
            return name + points;
        }
    }

    static class SubBean extends Bean {

        private int level;

        SubBean() {}

        SubBean(String name, int level) {
            super(name, new ArrayList<>());
            this.level = level;
        }

        int level() {
            return level;
        }
    }

    static class Holder {

        private String name = "";

        @JsonIgnore
        private Object anyOrder = new Object();

        private transient Object anyOrderToo = "same";

        Holder() {}

        Holder(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name + anyOrder + anyOrderToo;
        }
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    static class Sparse {

        @Nullable String name;

        @Nullable Integer count = null;
    }

    static final class Money {

        private final String text;

        @JsonCreator
        Money(String text) {
            this.text = text;
        }

        @JsonValue
        String text() {
            return text;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Money money && money.text.equals(text);
        }

        @Override
        public int hashCode() {
            return Objects.hash(text);
        }
    }

    enum Colour {
        RED,
        DARK_RED;

        /** Not even the text of one constant alone. */
        @Override
        public String toString() {
            return "red";
        }
    }

    record Untyped(Map<String, Object> values) {}

    record Numbers(Number number, List<Number> numbers) {}

    static final class Tags extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        Tags() {}

        Tags(List<String> tags) {
            super(tags);
        }
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.IntSequenceGenerator.class)
    static class Tree {

        String name = "";

        @Nullable Tree parent;

        List<Tree> children = new ArrayList<>();

        static Tree of(String name, String child) {
            Tree tree = new Tree();
            tree.name = name;
            Tree below = new Tree();
            below.name = child;
            below.parent = tree;
            tree.children.add(below);
            return tree;
        }
    }
}
