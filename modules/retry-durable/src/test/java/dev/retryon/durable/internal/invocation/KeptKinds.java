// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import dev.retryon.durable.internal.invocation.ArgumentKindsTests.Kind;
import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Values and collections of the JDK that come back as they were. */
final class KeptKinds {

    private KeptKinds() {}

    static Stream<Kind<?>> all() {
        return Stream.of(values(), times(), lists(), maps()).flatMap(kinds -> kinds);
    }

    private static Stream<Kind<?>> values() {
        return Stream.of(
                new Kind<@Nullable String>("null", null) {},
                new Kind<String>("text", "a \"\\ \u0000 \ud83d\ude00 \u2028") {},
                new Kind<Integer>("Integer", Integer.MIN_VALUE) {},
                new Kind<Long>("Long", Long.MAX_VALUE) {},
                new Kind<Short>("Short", (short) -3) {},
                new Kind<Byte>("Byte", (byte) -128) {},
                new Kind<Double>("Double", Double.MIN_VALUE) {},
                new Kind<Double>("negative zero", -0.0) {},
                new Kind<Double>("not a number", Double.NaN) {},
                new Kind<Float>("Float", 0.1f) {},
                new Kind<Boolean>("Boolean", true) {},
                new Kind<Character>("Character", '\u20ac') {},
                new Kind<BigDecimal>("BigDecimal", new BigDecimal("12345678901234567.8900")) {},
                new Kind<BigDecimal>("BigDecimal with a negative scale", new BigDecimal("1E+30")) {},
                new Kind<BigInteger>("BigInteger", BigInteger.TWO.pow(200)) {},
                new Kind<Number>("Integer for a Number", 5) {},
                new Kind<Number>("BigDecimal for a Number", new BigDecimal("12345678901234567.89")) {},
                new Kind<UUID>("UUID", new UUID(1, 2)) {},
                new Kind<URI>("URI", URI.create("mailto:a@b.example")) {},
                new Kind<Path>("Path", Path.of("/tmp/a b")) {},
                new Kind<File>("File", new File("/a/b.txt")) {},
                new Kind<Charset>("Charset", StandardCharsets.ISO_8859_1) {},
                new Kind<Locale>("Locale", Locale.forLanguageTag("sr-Latn-RS")) {},
                new Kind<Currency>("Currency", Currency.getInstance("CHF")) {},
                new Kind<TimeZone>("TimeZone", TimeZone.getTimeZone("America/New_York")) {},
                new Kind<Pattern>("Pattern", Pattern.compile("a+")) {},
                new Kind<InetAddress>("InetAddress", address()) {},
                new Kind<TimeUnit>("enum", TimeUnit.DAYS) {},
                new Kind<AtomicInteger>("AtomicInteger", new AtomicInteger(4)) {},
                new Kind<AtomicLong>("AtomicLong", new AtomicLong(-4)) {},
                new Kind<byte[]>("byte[]", new byte[] {1, -1}) {},
                new Kind<char[]>("char[]", new char[] {'a', '"'}) {},
                new Kind<int[][]>("int[][]", new int[][] {{1}, {}, {2, 3}}) {},
                new Kind<String[]>("String[]", new String[] {"a", "b"}) {},
                new Kind<Optional<LocalDate>>("Optional", Optional.of(LocalDate.EPOCH)) {},
                new Kind<Optional<String>>("Optional without a value", Optional.empty()) {},
                new Kind<OptionalInt>("OptionalInt", OptionalInt.of(7)) {});
    }

    private static InetAddress address() {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        } catch (UnknownHostException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static Stream<Kind<?>> times() {
        return Stream.of(
                new Kind<Instant>("Instant", Instant.parse("2026-02-03T04:05:06.123456789Z")) {},
                new Kind<LocalDate>("LocalDate", LocalDate.of(2026, 2, 28)) {},
                new Kind<LocalTime>("LocalTime", LocalTime.of(1, 2, 3, 4)) {},
                new Kind<LocalDateTime>("LocalDateTime", LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6)) {},
                new Kind<OffsetDateTime>("OffsetDateTime", OffsetDateTime.parse("2026-07-01T12:00:00+05:30")) {},
                new Kind<OffsetTime>("OffsetTime", OffsetTime.parse("12:00:00.5-08:00")) {},
                new Kind<ZonedDateTime>(
                        "ZonedDateTime", ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("Europe/Berlin"))) {},
                new Kind<ZonedDateTime>(
                        "ZonedDateTime in UTC", ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("UTC"))) {},
                new Kind<ZoneId>("ZoneId", ZoneId.of("UTC")) {},
                new Kind<ZoneOffset>("ZoneOffset", ZoneOffset.ofHours(-3)) {},
                new Kind<Duration>("Duration", Duration.ofSeconds(-1, 5)) {},
                new Kind<Period>("Period", Period.of(1, -2, 3)) {},
                new Kind<Year>("Year", Year.of(2026)) {},
                new Kind<YearMonth>("YearMonth", YearMonth.of(2026, 3)) {},
                new Kind<MonthDay>("MonthDay", MonthDay.of(2, 29)) {},
                new Kind<Month>("Month", Month.MARCH) {},
                new Kind<DayOfWeek>("DayOfWeek", DayOfWeek.SUNDAY) {},
                new Kind<Date>("Date", new Date(1_234_567_890_123L)) {},
                new Kind<Timestamp>("Timestamp of milliseconds", new Timestamp(1_234_567_890_123L)) {});
    }

    private static Stream<Kind<?>> lists() {
        return Stream.of(
                new Kind<List<String>>("List.of", List.of("a", "b")) {},
                new Kind<List<@Nullable String>>("Arrays.asList with null", Arrays.asList("a", null)) {},
                new Kind<List<Long>>("unmodifiable list", Collections.unmodifiableList(List.of(1L, 2L))) {},
                new Kind<List<Long>>("Stream.toList", Stream.of(1L).toList()) {},
                new Kind<ArrayList<BigDecimal>>("ArrayList", new ArrayList<>(List.of(new BigDecimal("1.10")))) {},
                new Kind<CopyOnWriteArrayList<String>>(
                        "CopyOnWriteArrayList", new CopyOnWriteArrayList<>(List.of("a"))) {},
                new Kind<List<Number>>("integers in a list of numbers", List.of(1, new BigDecimal("0.5"))) {},
                new Kind<List<? super LocalDate>>("list of a lower bound", List.of(LocalDate.EPOCH)) {},
                new Kind<List<byte[]>>("list of arrays", List.of(new byte[] {1}, new byte[0])) {},
                new Kind<Collection<String>>("Set for a Collection", new LinkedHashSet<>(List.of("z", "a"))) {},
                new Kind<Set<String>>("LinkedHashSet for a Set", new LinkedHashSet<>(numbered(100))) {},
                new Kind<HashSet<String>>("HashSet of any capacity", hashSet(numbered(100))) {},
                new Kind<Set<Month>>("EnumSet for a Set", EnumSet.of(Month.MAY, Month.JULY)) {},
                new Kind<EnumSet<Month>>("EnumSet", EnumSet.of(Month.MAY, Month.JULY)) {},
                new Kind<TreeSet<String>>("TreeSet", new TreeSet<>(List.of("b", "a"))) {},
                new Kind<Set<String>>("TreeSet for a Set", new TreeSet<>(List.of("b", "a"))) {},
                new Kind<Deque<String>>("ArrayDeque", new ArrayDeque<>(List.of("a", "b"))) {},
                new Kind<Queue<String>>("Queue", new ArrayDeque<>(List.of("a", "b"))) {},
                new Kind<Collection<Integer>>("values of a map", new LinkedHashMap<>(Map.of("a", 1)).values()) {});
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> (i * 7919) % 1000 + "x").toList();
    }

    private static <T> HashSet<T> hashSet(Collection<T> elements) {
        HashSet<T> set = new HashSet<>(10_000);
        set.addAll(elements);
        return set;
    }

    private static Stream<Kind<?>> maps() {
        Map<LocalDate, Set<Month>> days = new HashMap<>();
        days.put(LocalDate.EPOCH, Set.of(Month.MAY));
        SortedMap<String, Integer> sorted = new TreeMap<>(Map.of("b", 1, "a", 2));
        return Stream.of(
                new Kind<Map<String, Integer>>("Map.of", Map.of("a", 1, "b", 2)) {},
                new Kind<Map<LocalDate, Set<Month>>>("HashMap with dates for keys", days) {},
                new Kind<Map<Long, String>>("map with numbers for keys", Map.of(5L, "a")) {},
                new Kind<Map<UUID, Duration>>("map with ids for keys", Map.of(new UUID(3, 4), Duration.ZERO)) {},
                new Kind<Map<String, @Nullable String>>("map with null", Collections.singletonMap("a", null)) {},
                new Kind<SortedMap<String, Integer>>("SortedMap", sorted) {},
                new Kind<Map<String, Integer>>("TreeMap for a Map", sorted) {},
                new Kind<Set<Map.Entry<String, Integer>>>("entries of a TreeMap", sorted.entrySet()) {},
                new Kind<EnumMap<Month, String>>("EnumMap", new EnumMap<>(Map.of(Month.MAY, "a"))) {},
                new Kind<ConcurrentMap<String, String>>("ConcurrentMap", new ConcurrentHashMap<>(Map.of("a", "b"))) {},
                new Kind<Map.Entry<String, LocalDate>>("entry", Map.entry("a", LocalDate.EPOCH)) {},
                new Kind<Map<String, Map<String, List<Double>>>>(
                        "map of maps", Map.of("a", Map.of("b", List.of(0.5, -0.0)))) {});
    }
}
