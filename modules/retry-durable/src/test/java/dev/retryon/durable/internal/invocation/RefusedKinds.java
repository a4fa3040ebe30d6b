// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.retryon.durable.internal.invocation.ArgumentKindsTests.Kind;
import dev.retryon.durable.internal.invocation.KeptBeans.Bean;
import dev.retryon.durable.internal.invocation.KeptBeans.Box;
import dev.retryon.durable.internal.invocation.KeptBeans.Numbers;
import dev.retryon.durable.internal.invocation.KeptBeans.SubBean;
import dev.retryon.durable.internal.invocation.KeptBeans.Untyped;
import java.io.File;
import java.math.BigDecimal;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collections;
import java.util.Comparator;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Arguments that JSON can't hold, or that come back as less than they were. */
final class RefusedKinds {

    private RefusedKinds() {}

    static Stream<Kind<?>> all() {
        return Stream.of(untyped(), subclasses(), orders(), others()).flatMap(kinds -> kinds);
    }

    private static Stream<Kind<?>> untyped() {
        return Stream.of(
                new Kind<Untyped>("Long in an untyped map", new Untyped(Map.of("a", 5L))) {},
                new Kind<Untyped>("Double in an untyped map", new Untyped(Map.of("a", 0.5))) {},
                new Kind<Untyped>("date in an untyped map", new Untyped(Map.of("a", LocalDate.EPOCH))) {},
                new Kind<Untyped>("bytes in an untyped map", new Untyped(Map.of("a", new byte[] {1}))) {},
                new Kind<Untyped>("record in an untyped map", new Untyped(Map.of("a", new Box<>("b")))) {},
                new Kind<Untyped>("set in an untyped map", new Untyped(Map.of("a", Set.of("b")))) {},
                new Kind<Untyped>("deep in an untyped map", new Untyped(Map.of("a", List.of(Map.of("b", 5L))))) {},
                new Kind<Number>("Long for a Number", 5L) {},
                new Kind<Numbers>("Double for a Number", new Numbers(0.5, List.of())) {},
                new Kind<Numbers>("Long in a list of numbers", new Numbers(1, List.of(5L))) {});
    }

    private static Stream<Kind<?>> subclasses() {
        return Stream.of(
                new Kind<Customer>("subclass", new Vip()) {},
                new Kind<List<Customer>>("subclass in a list", List.of(new Customer(), new Vip())) {},
                new Kind<Map<String, Customer>>("subclass in a map", Map.of("a", new Vip())) {},
                new Kind<Customer[]>("subclass in an array", new Customer[] {new Vip()}) {},
                new Kind<Optional<Customer>>("subclass in an Optional", Optional.of(new Vip())) {},
                new Kind<Box<Customer>>("subclass in a record", new Box<>(new Vip())) {},
                new Kind<Order>("subclass in a field", new Order(new Vip())) {},
                new Kind<Bean>("subclass with more fields", new SubBean("a", 1)) {},
                new Kind<Box<List<Map<String, Customer>>>>(
                        "subclass in a deep place", new Box<>(List.of(Map.of("a", new Vip())))) {});
    }

    private static Stream<Kind<?>> orders() {
        SortedMap<String, Integer> backwards = new TreeMap<>(Comparator.reverseOrder());
        backwards.putAll(Map.of("a", 1, "b", 2));
        SortedMap<String, Integer> insensitive = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        insensitive.put("a", 1);
        SortedSet<String> set = new TreeSet<>(Comparator.reverseOrder());
        set.addAll(List.of("a", "b"));
        LinkedHashMap<String, Integer> linked = new LinkedHashMap<>();
        List.of("z", "c", "x", "a").forEach(key -> linked.put(key, 1));
        return Stream.of(
                new Kind<SortedMap<String, Integer>>("TreeMap with a comparator", backwards) {},
                new Kind<TreeMap<String, Integer>>("TreeMap of one with a comparator", new TreeMap<>(insensitive)) {},
                new Kind<Map<String, Integer>>("TreeMap with a comparator for a Map", insensitive) {},
                new Kind<Set<String>>("TreeSet with a comparator for a Set", set) {},
                new Kind<Set<String>>("descending view of a TreeSet", new TreeSet<>(Set.of("a")).descendingSet()) {},
                new Kind<HashMap<String, Integer>>("LinkedHashMap for a HashMap", linked) {},
                new Kind<Queue<String>>("PriorityQueue for a Queue", new PriorityQueue<>(List.of("b", "a"))) {});
    }

    private static Stream<Kind<?>> others() {
        Timestamp nanos = new Timestamp(0);
        nanos.setNanos(123_456_789);
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone("Asia/Tokyo"), Locale.JAPAN);
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        return Stream.of(
                new Kind<Timestamp>("nanoseconds of a Timestamp", nanos) {},
                new Kind<Box<Timestamp>>("nanoseconds of a Timestamp in a record", new Box<>(nanos)) {},
                new Kind<Calendar>("time zone of a Calendar", calendar) {},
                new Kind<Pattern>("flags of a Pattern", Pattern.compile("a", Pattern.CASE_INSENSITIVE)) {},
                new Kind<File>("relative path of a File", new File("a/b.txt")) {},
                new Kind<Typed>("class", new Typed(String.class)) {},
                new Kind<Box<Map<Class<?>, String>>>("class as a key", new Box<>(Map.of(String.class, "a"))) {},
                new Kind<Fixed>("field that nothing can set", new Fixed("a")) {},
                new Kind<Box<@Nullable Optional<String>>>("null for an Optional", new Box<>(null)) {},
                new Kind<Box<Object>>("list that holds itself", new Box<>(itself)) {},
                new Kind<Map<@Nullable String, String>>("null as a key", Collections.singletonMap(null, "a")) {},
                new Kind<Half>("property that is not read", new Half()) {},
                new Kind<Rounded>("record that rounds twice", new Rounded(new BigDecimal("8"))) {});
    }

    static class Customer {

        String name = "a";

        int discount() {
            return 0;
        }
    }

    static class Vip extends Customer {

        @Override
        int discount() {
            return 50;
        }
    }

    static class Order {

        Customer customer;

        Order() {
            this(new Customer());
        }

        Order(Customer customer) {
            this.customer = customer;
        }
    }

    record Typed(Class<?> type) {}

    static class Fixed {

        private final String text;

        private Fixed() {
            this("");
        }

        Fixed(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static class Half {

        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        String text = "a" + System.nanoTime();
    }

    record Rounded(BigDecimal half) {

        Rounded {
            half = half.divide(BigDecimal.valueOf(2));
        }
    }
}
