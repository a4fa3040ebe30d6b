// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.TreeNode;

/**
 * Compares an argument with its copy, which was decoded from its stored form. Classes are the same, except that a collection
 * of any class can come back as a JDK collection with the same elements in the same order. A message names the place and the
 * classes of a difference, never a value. Use each object for one comparison, on one thread.
 */
final class CopyCheck {

    private record Difference(String place, String what) {

        Difference(String what) {
            this("", what);
        }

        Difference below(String name) {
            String separator = place.isEmpty() || place.startsWith("[") ? "" : ".";
            return new Difference(name + separator + place, what);
        }

        @Override
        public String toString() {
            return place.isEmpty() ? what : "at " + place + " " + what;
        }
    }

    private final StoredFields fields;

    /** The objects with properties, and their copies, because objects that are stored with ids can form cycles. */
    private @Nullable IdentityHashMap<Object, Object> seen;

    CopyCheck(StoredFields fields) {
        this.fields = fields;
    }

    /** Returns the difference in a phrase that quotes no value, or {@code null} if the copy and the argument are equal. */
    @Nullable String difference(@Nullable Object argument, @Nullable Object copy, Type type) throws Exception {
        Difference difference =
                compare(argument, copy, type instanceof ParameterizedType generic ? generic.getRawType() : type);
        return difference == null ? null : difference.toString();
    }

    private @Nullable Difference compare(@Nullable Object argument, @Nullable Object copy) throws Exception {
        return compare(argument, copy, Object.class);
    }

    private @Nullable Difference compare(@Nullable Object argument, @Nullable Object copy, Type declared)
            throws Exception {
        if (argument == copy) {
            return null;
        }
        if (argument == null || copy == null) {
            return otherClass(argument, copy);
        }
        if (argument instanceof TreeNode && copy instanceof TreeNode) {
            return sameText(argument, copy);
        }
        if (argument instanceof Collection<?> some && copy instanceof Collection<?> others) {
            // A list can replace a set only if the declared type requires neither.
            boolean sameKind = declared == Collection.class
                    || declared == Iterable.class
                    || some instanceof Set == others instanceof Set;
            return container(sameKind ? collections(some, others) : otherClass(argument, copy), argument, copy);
        }
        if (argument instanceof Map<?, ?> some && copy instanceof Map<?, ?> others) {
            return container(maps(some, others), argument, copy);
        }
        if (argument instanceof Map.Entry<?, ?> entry && copy instanceof Map.Entry<?, ?> other && isOfPlatform(copy)) {
            Difference difference = compare(entry.getKey(), other.getKey());
            return difference != null ? difference : compare(entry.getValue(), other.getValue());
        }
        if (argument.getClass() != copy.getClass()) {
            return otherClass(argument, copy);
        }
        return sameClass(argument, copy);
    }

    /** Compares the fields of a collection or map besides its elements, if these are equal and the class is the same. */
    private @Nullable Difference container(@Nullable Difference ofElements, Object argument, Object copy)
            throws Exception {
        return ofElements != null || argument.getClass() != copy.getClass() ? ofElements : hidden(argument, copy);
    }

    private @Nullable Difference sameClass(Object argument, Object copy) throws Exception {
        if (argument instanceof Optional<?> optional) {
            return compare(optional.orElse(null), ((Optional<?>) copy).orElse(null));
        }
        if (argument instanceof AtomicReference<?> reference) {
            return compare(reference.get(), ((AtomicReference<?>) copy).get());
        }
        if (argument.getClass().isArray()) {
            return arrays(argument, copy);
        }
        if (argument instanceof Enum) {
            return otherValue(argument);
        }
        List<StoredFields.Property> properties = fields.properties(argument.getClass());
        return properties.isEmpty() ? opaque(argument, copy) : properties(properties, argument, copy);
    }

    private @Nullable Difference properties(List<StoredFields.Property> properties, Object argument, Object copy)
            throws Exception {
        if (seen == null) {
            seen = new IdentityHashMap<>();
        }
        if (seen.put(argument, copy) == copy) {
            return null;
        }
        for (StoredFields.Property property : properties) {
            Difference difference = compare(property.get(argument), property.get(copy), property.type());
            if (difference != null) {
                return difference.below(property.name());
            }
        }
        return hidden(argument, copy);
    }

    /** Finds a field whose value is lost because it is not stored. */
    private @Nullable Difference hidden(Object argument, Object copy) throws Exception {
        for (StoredFields.Property field : fields.hidden(argument.getClass())) {
            if (compare(field.get(argument), field.get(copy), field.type()) != null) {
                return lostField(argument, field);
            }
        }
        return null;
    }

    private @Nullable Difference opaque(Object argument, Object copy) throws Exception {
        if (argument instanceof Pattern pattern) {
            Pattern other = (Pattern) copy;
            return pattern.pattern().equals(other.pattern()) && pattern.flags() == other.flags()
                    ? null
                    : otherValue(argument);
        }
        if (argument instanceof URL url) {
            // The equals method of this class accesses the network.
            return url.toExternalForm().equals(((URL) copy).toExternalForm()) ? null : otherValue(argument);
        }
        if (argument.equals(copy)) {
            return null;
        }
        Difference difference = hasValue(argument) ? otherValue(argument) : sameText(argument, copy);
        return difference != null ? difference : hidden(argument, copy);
    }

    private @Nullable Difference sameText(Object argument, Object copy) {
        return fields.text(argument).equals(fields.text(copy)) ? null : otherValue(argument);
    }

    /** Returns whether {@code equals} compares more than identity, without reflection, which native images limit. */
    private static boolean hasValue(Object object) {
        return object.hashCode() != System.identityHashCode(object);
    }

    private @Nullable Difference arrays(Object argument, Object copy) throws Exception {
        if (argument.getClass().getComponentType().isPrimitive()) {
            return Objects.deepEquals(argument, copy) ? null : otherValue(argument);
        }
        @Nullable Object[] some = (Object[]) argument;
        @Nullable Object[] others = (Object[]) copy;
        return some.length != others.length
                ? otherValue(argument)
                : elements(Arrays.asList(some), Arrays.asList(others), "[]");
    }

    private @Nullable Difference collections(Collection<?> argument, Collection<?> copy) throws Exception {
        Difference difference = containers(argument, argument.size(), copy, copy.size());
        if (difference != null) {
            return difference;
        }
        difference = elements(argument, copy, "[]");
        return difference == null || !(argument instanceof Set) || isOrdered(argument)
                ? difference
                : elements(argument, arranged(copy, argument), "[]");
    }

    private @Nullable Difference maps(Map<?, ?> argument, Map<?, ?> copy) throws Exception {
        Difference difference = containers(argument, argument.size(), copy, copy.size());
        if (difference != null) {
            return difference;
        }
        difference = elements(argument.keySet(), copy.keySet(), "[key]");
        if (difference == null) {
            return elements(argument.values(), copy.values(), "[]");
        }
        if (isOrdered(argument)) {
            return difference;
        }
        List<@Nullable Object> keys = arranged(copy.keySet(), argument.keySet());
        difference = elements(argument.keySet(), keys, "[key]");
        return difference != null
                ? difference
                : elements(argument.values(), keys.stream().map(copy::get).toList(), "[]");
    }

    /** Returns the elements in the order of equal elements in another collection, with {@code null} for each missing element. */
    private static List<@Nullable Object> arranged(Collection<?> elements, Collection<?> order) {
        Map<@Nullable Object, @Nullable Object> byThemselves = new HashMap<>();
        elements.forEach(element -> byThemselves.put(element, element));
        List<@Nullable Object> arranged = new ArrayList<>();
        order.forEach(element -> arranged.add(byThemselves.get(element)));
        return arranged;
    }

    private static @Nullable Difference containers(Object argument, int size, Object copy, int sizeOfCopy) {
        boolean keepsOrder = !(argument instanceof PriorityQueue || argument instanceof PriorityBlockingQueue);
        if (argument.getClass() != copy.getClass() && !(isOfPlatform(copy) && keepsOrder)) {
            return otherClass(argument, copy);
        }
        if (size != sizeOfCopy) {
            return otherValue(argument);
        }
        return comparator(argument) != null && comparator(copy) == null ? lostComparator(argument) : null;
    }

    private @Nullable Difference elements(Collection<?> argument, Collection<?> copy, String place) throws Exception {
        Iterator<?> others = copy.iterator();
        for (Object element : argument) {
            Difference difference = others.hasNext() ? compare(element, others.next()) : null;
            if (difference != null) {
                return difference.below(place);
            }
        }
        return null;
    }

    /** Returns whether the order of a set or map is significant. */
    private static boolean isOrdered(Object collection) {
        return collection instanceof LinkedHashSet
                || collection instanceof SortedSet
                || collection instanceof LinkedHashMap
                || collection instanceof SortedMap;
    }

    /** Returns a sorted collection's comparator, or {@code null} for natural order and for collections that are not sorted. */
    private static @Nullable Comparator<?> comparator(Object collection) {
        Comparator<?> comparator = collection instanceof SortedSet<?> set
                ? set.comparator()
                : collection instanceof SortedMap<?, ?> map
                        ? map.comparator()
                        : collection instanceof PriorityQueue<?> queue
                                ? queue.comparator()
                                : collection instanceof PriorityBlockingQueue<?> blocking
                                        ? blocking.comparator()
                                        : null;
        return Comparator.naturalOrder().equals(comparator) ? null : comparator;
    }

    private static boolean isOfPlatform(Object value) {
        return isOfPlatform(value.getClass());
    }

    static boolean isOfPlatform(Class<?> type) {
        String name = type.getName();
        return name.startsWith("java.") || name.startsWith("kotlin.");
    }

    private static Difference lostComparator(Object argument) {
        return new Difference("a " + nameOf(argument) + " loses its comparator when it is stored");
    }

    private static Difference otherValue(Object argument) {
        return new Difference("a " + nameOf(argument) + " is no longer equal after it was stored and read back");
    }

    private static Difference lostField(Object owner, StoredFields.Property field) {
        return new Difference(
                field.name(),
                "a value would be lost, because this field of " + nameOf(owner) + " is not stored. The cause is an"
                        + " annotation, a subclass field that hides it, or the stored form of the class. If the"
                        + " method does not need the field, annotate it with @JsonIgnore");
    }

    private static Difference otherClass(@Nullable Object argument, @Nullable Object copy) {
        if (argument != null && isProxy(argument.getClass())) {
            return new Difference(
                    "a " + nameOf(argument) + " is a proxy that was generated at run time; pass the object"
                            + " that it wraps (Hibernate.unproxy returns it for a Hibernate entity), or its id");
        }
        return new Difference("a " + nameOf(argument) + " is read back as a " + nameOf(copy)
                + ", because reading uses only the declared type; declare the class that you store, or annotate the"
                + " declared type with @JsonTypeInfo(use = NAME) and @JsonSubTypes");
    }

    private static boolean isProxy(Class<?> type) {
        String name = type.getName();
        return Proxy.isProxyClass(type) || name.contains("$$") || name.contains("$HibernateProxy$");
    }

    private static String nameOf(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getTypeName();
    }
}
