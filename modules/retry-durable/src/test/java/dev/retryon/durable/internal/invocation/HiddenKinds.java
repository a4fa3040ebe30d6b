// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIgnoreType;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.retryon.durable.internal.invocation.ArgumentKindsTests.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Objects with fields that are not stored. Only transient fields and those with {@code @JsonIgnore} may get lost. */
final class HiddenKinds {

    private HiddenKinds() {}

    static Stream<Kind<?>> refused() {
        Order order = new Order("A", "first");
        return Stream.of(
                new Kind<Secret>("WRITE_ONLY field", new Secret("a")) {},
                new Kind<Ignoring>("field in @JsonIgnoreProperties", new Ignoring("a", "b")) {},
                new Kind<IgnoringRecord>("component in @JsonIgnoreProperties", new IgnoringRecord("a", "b")) {},
                new Kind<Including>("field that @JsonIncludeProperties leaves out", new Including("a", "b")) {},
                new Kind<WithIgnoredType>("field of an ignored type", new WithIgnoredType("a")) {},
                new Kind<Line>("back reference without its owner", order.lines.get(0)) {},
                new Kind<Basket>("field that the owner hides", new Basket(new Ignoring("a", null), "b")) {},
                new Kind<Undetected>("fields that are not detected", new Undetected("a")) {},
                new Kind<SubOfShadowed>("field hidden by one of a subclass", new SubOfShadowed("a", "b")) {},
                new Kind<IgnoredShadow>("field hidden by an ignored one", new IgnoredShadow("a")) {},
                new Kind<Coded>("field beside @JsonValue", new Coded("a", "b")) {},
                new Kind<Labelled>("field of a list", new Labelled("a", List.of("b"))) {},
                new Kind<LabelledMap>("field of a map", new LabelledMap("a", Map.of("b", "c"))) {},
                new Kind<List<Secret>>("WRITE_ONLY field in a list", List.of(new Secret("a"))) {},
                new Kind<Map<String, Secret>>("WRITE_ONLY field in a map", Map.of("a", new Secret("a"))) {},
                new Kind<Set<Login>>("WRITE_ONLY field in a set", Set.of(new Login("a", "b"))) {});
    }

    static Stream<Kind<?>> kept() {
        return Stream.of(
                new Kind<Secret>("WRITE_ONLY field that is null", new Secret(null)) {},
                new Kind<Ignoring>("ignored property that is null", new Ignoring("a", null)) {},
                new Kind<Order>("owner of back references", new Order("A", "first", "second")) {},
                new Kind<Labelled>("list with a field that is null", new Labelled(null, List.of("b"))) {},
                new Kind<WithIgnoredGetter>("field with an ignored getter", new WithIgnoredGetter("a", "same")) {},
                new Kind<Renamed>("field with another name", new Renamed("a")) {},
                new Kind<Counted>("computed property", new Counted(List.of("a"))) {});
    }

    static class Secret {

        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        @Nullable String password;

        Secret() {}

        Secret(@Nullable String password) {
            this.password = password;
        }
    }

    /** Equal to one with another password. */
    static class Login extends Secret {

        String name = "";

        Login() {}

        Login(String name, String password) {
            super(password);
            this.name = name;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Login login && login.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    @JsonIgnoreProperties("note")
    static class Ignoring {

        String name = "";

        @Nullable String note;

        Ignoring() {}

        Ignoring(String name, @Nullable String note) {
            this.name = name;
            this.note = note;
        }
    }

    @JsonIgnoreProperties("note")
    record IgnoringRecord(String name, @Nullable String note) {}

    @JsonIncludeProperties("name")
    static class Including {

        String name = "";

        @Nullable String note;

        Including() {}

        Including(String name, String note) {
            this.name = name;
            this.note = note;
        }
    }

    @JsonIgnoreType
    static class IgnoredType {

        @Nullable String text;
    }

    static class WithIgnoredType {

        @Nullable IgnoredType part;

        WithIgnoredType() {}

        WithIgnoredType(String text) {
            part = new IgnoredType();
            part.text = text;
        }
    }

    static class Order {

        String id = "";

        @JsonManagedReference
        List<Line> lines = new ArrayList<>();

        Order() {}

        Order(String id, String... texts) {
            this.id = id;
            for (String text : texts) {
                Line line = new Line();
                line.text = text;
                line.order = this;
                lines.add(line);
            }
        }
    }

    static class Line {

        String text = "";

        @JsonBackReference
        @Nullable Order order;
    }

    static class Basket {

        @JsonIgnoreProperties("name")
        Ignoring content = new Ignoring();

        String id = "";

        Basket() {}

        Basket(Ignoring content, String id) {
            this.content = content;
            this.id = id;
        }
    }

    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.NONE)
    static class Undetected {

        @Nullable String text;

        Undetected() {}

        Undetected(String text) {
            this.text = text;
        }
    }

    static class Shadowed {

        private @Nullable String text;

        Shadowed() {}

        Shadowed(String text) {
            this.text = text;
        }

        @Nullable String shadowed() {
            return text;
        }
    }

    static class SubOfShadowed extends Shadowed {

        private @Nullable String text;

        SubOfShadowed() {}

        SubOfShadowed(String shadowed, String text) {
            super(shadowed);
            this.text = text;
        }

        @Nullable String text() {
            return text;
        }
    }

    static class IgnoredShadow extends Shadowed {

        @JsonIgnore
        private @Nullable String text;

        IgnoredShadow() {}

        IgnoredShadow(String shadowed) {
            super(shadowed);
        }

        @Nullable String text() {
            return text;
        }
    }

    static class Coded {

        private final String code;

        @Nullable String note;

        @JsonCreator
        Coded(String code) {
            this.code = code;
        }

        Coded(String code, String note) {
            this.code = code;
            this.note = note;
        }

        @JsonValue
        String code() {
            return code;
        }
    }

    static class Labelled extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        private @Nullable String label;

        Labelled() {}

        Labelled(@Nullable String label, List<String> elements) {
            super(elements);
            this.label = label;
        }

        @Nullable String label() {
            return label;
        }
    }

    static class LabelledMap extends LinkedHashMap<String, String> {

        private static final long serialVersionUID = 1L;

        private @Nullable String label;

        LabelledMap() {}

        LabelledMap(String label, Map<String, String> entries) {
            super(entries);
            this.label = label;
        }

        @Nullable String label() {
            return label;
        }
    }

    static class WithIgnoredGetter {

        private String name = "";

        private String anyOrder = "same";

        WithIgnoredGetter() {}

        WithIgnoredGetter(String name, String anyOrder) {
            this.name = name;
            this.anyOrder = anyOrder + System.nanoTime();
        }

        String name() {
            return name;
        }

        @JsonIgnore
        public String getAnyOrder() {
            return anyOrder;
        }
    }

    static class Renamed {

        @JsonProperty("title")
        private String name = "";

        Renamed() {}

        Renamed(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }
    }

    @JsonIgnoreProperties(value = "count", allowGetters = true)
    static class Counted {

        List<String> items = new ArrayList<>();

        Counted() {}

        Counted(List<String> items) {
            this.items = items;
        }

        @JsonProperty
        int count() {
            return items.size();
        }
    }
}
