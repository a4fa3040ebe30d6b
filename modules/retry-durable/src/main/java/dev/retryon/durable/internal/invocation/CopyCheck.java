// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import java.io.Serial;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.Spliterator;
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

    /** The first difference, which ends the comparison. */
    private static final class Difference extends Exception {

        @Serial
        private static final long serialVersionUID = 1L;

        Difference(String place, String what) {
            super(place.isEmpty() ? what : "at " + place + " " + what, null, false, false);
        }
    }

    private final StoredFields fields;

    /** The objects with properties, and their copies, because objects that are stored with ids can form cycles. */
    private final IdentityHashMap<Object, Object> seen = new IdentityHashMap<>();

    CopyCheck(StoredFields fields) {
        this.fields = fields;
    }

    /** Returns the difference in a phrase that quotes no value, or {@code null} if the copy and the argument are equal. */
    @Nullable String difference(@Nullable Object argument, @Nullable Object copy, Class<?> declared) throws Exception {
        try {
            compare("", argument, copy, declared);
            return null;
        } catch (Difference ex) {
            return ex.getMessage();
        }
    }

    private void compare(String place, @Nullable Object argument, @Nullable Object copy, Class<?> declared)
            throws Exception {
        if (argument == copy) {
            return;
        }
        if (argument == null || copy == null) {
            throw otherClass(place, argument, copy);
        }
        if (argument instanceof TreeNode && copy instanceof TreeNode) {
            requireSame(fields.text(argument).equals(fields.text(copy)), place, argument);
        } else if (argument instanceof Collection<?> some && copy instanceof Collection<?> others) {
            // A list can replace a set only if the declared type requires neither.
            boolean needsKind = declared != Collection.class && declared != Iterable.class;
            if (needsKind && some instanceof Set != others instanceof Set) {
                throw otherClass(place, argument, copy);
            }
            compareContainers(place, argument, some, copy, others);
            if (some instanceof Set) {
                compareSets(place + "[]", some, others);
            } else {
                compareElements(place + "[]", some, others);
            }
            compareExtras(place, argument, copy);
        } else if (argument instanceof Map<?, ?> some && copy instanceof Map<?, ?> others) {
            compareContainers(place, argument, some.keySet(), copy, others.keySet());
            Collection<?> keys = compareSets(place + "[key]", some.keySet(), others.keySet());
            compareElements(
                    place + "[]", some.values(), keys.stream().map(others::get).toList());
            compareExtras(place, argument, copy);
        } else if (argument instanceof Map.Entry<?, ?> some
                && copy instanceof Map.Entry<?, ?> other
                && isOfPlatform(copy)) {
            compare(place, some.getKey(), other.getKey(), Object.class);
            compare(place, some.getValue(), other.getValue(), Object.class);
        } else if (argument.getClass() == copy.getClass()) {
            compareSameClass(place, argument, copy);
        } else {
            throw otherClass(place, argument, copy);
        }
    }

    private void compareSameClass(String place, Object argument, Object copy) throws Exception {
        if (argument instanceof Optional<?> optional) {
            compare(place, optional.orElse(null), ((Optional<?>) copy).orElse(null), Object.class);
        } else if (argument instanceof AtomicReference<?> reference) {
            compare(place, reference.get(), ((AtomicReference<?>) copy).get(), Object.class);
        } else if (argument.getClass().isArray()) {
            compareArrays(place, argument, copy);
        } else if (argument instanceof Enum) {
            throw otherValue(place, argument);
        } else {
            List<StoredFields.Property> properties = fields.properties(argument.getClass());
            if (properties.isEmpty()) {
                compareOpaque(place, argument, copy);
            } else if (seen.put(argument, copy) != copy) {
                compareProperties(place, properties, argument, copy);
            }
        }
    }

    private void compareProperties(String place, List<StoredFields.Property> properties, Object argument, Object copy)
            throws Exception {
        try {
            for (StoredFields.Property property : properties) {
                compare(below(place, property), property.get(argument), property.get(copy), property.type());
            }
            compareHidden(place, argument, copy);
        } catch (Difference ex) {
            // The elements of a set are compared again in another order.
            seen.remove(argument);
            throw ex;
        }
    }

    /** Compares the fields of a collection or map besides its elements, if the class is the same. */
    private void compareExtras(String place, Object argument, Object copy) throws Exception {
        if (argument.getClass() == copy.getClass()) {
            compareHidden(place, argument, copy);
        }
    }

    /** Compares the fields that are not stored, whose values are lost. */
    private void compareHidden(String place, Object argument, Object copy) throws Exception {
        for (StoredFields.Property field : fields.hidden(argument.getClass())) {
            try {
                compare(place, field.get(argument), field.get(copy), field.type());
            } catch (Difference ex) {
                throw lostField(place, argument, field);
            }
        }
    }

    private void compareOpaque(String place, Object argument, Object copy) throws Exception {
        if (argument instanceof Pattern pattern) {
            Pattern other = (Pattern) copy;
            boolean isSame = pattern.pattern().equals(other.pattern()) && pattern.flags() == other.flags();
            requireSame(isSame, place, argument);
        } else if (argument instanceof URL url) {
            // The equals method of this class accesses the network.
            requireSame(url.toExternalForm().equals(((URL) copy).toExternalForm()), place, argument);
        } else if (!argument.equals(copy)) {
            // Without reflection, which native images limit: does equals compare more than identity?
            boolean hasValue = argument.hashCode() != System.identityHashCode(argument);
            requireSame(!hasValue && fields.text(argument).equals(fields.text(copy)), place, argument);
            compareHidden(place, argument, copy);
        }
    }

    private static void requireSame(boolean isSame, String place, Object argument) throws Difference {
        if (!isSame) {
            throw otherValue(place, argument);
        }
    }

    private void compareArrays(String place, Object argument, Object copy) throws Exception {
        if (argument.getClass().getComponentType().isPrimitive()) {
            requireSame(Objects.deepEquals(argument, copy), place, argument);
        } else {
            @Nullable Object[] some = (Object[]) argument;
            @Nullable Object[] others = (Object[]) copy;
            requireSame(some.length == others.length, place, argument);
            compareElements(place + "[]", Arrays.asList(some), Arrays.asList(others));
        }
    }

    private static void compareContainers(
            String place, Object argument, Collection<?> some, Object copy, Collection<?> others) throws Difference {
        boolean keepsOrder = !(argument instanceof PriorityQueue || argument instanceof PriorityBlockingQueue);
        if (argument.getClass() != copy.getClass() && !(isOfPlatform(copy) && keepsOrder)) {
            throw otherClass(place, argument, copy);
        }
        requireSame(some.size() == others.size(), place, argument);
        if (comparator(argument) != null && comparator(copy) == null) {
            throw new Difference(place, "a " + nameOf(argument) + " loses its comparator when it is stored");
        }
    }

    private void compareElements(String place, Collection<?> argument, Collection<?> copy) throws Exception {
        Iterator<?> others = copy.iterator();
        for (Object element : argument) {
            compare(place, element, others.next(), Object.class);
        }
    }

    /** Compares sets, and returns the elements of the copy in the order of the argument's elements. */
    private Collection<?> compareSets(String place, Collection<?> argument, Collection<?> copy) throws Exception {
        try {
            compareElements(place, argument, copy);
            return copy;
        } catch (Difference ex) {
            if (argument.spliterator().hasCharacteristics(Spliterator.ORDERED)) {
                throw ex;
            }
            List<@Nullable Object> arranged = arranged(copy, argument);
            compareElements(place, argument, arranged);
            return arranged;
        }
    }

    /** Returns the elements in the order of equal elements in another collection, with {@code null} for each missing element. */
    private static List<@Nullable Object> arranged(Collection<?> elements, Collection<?> order) {
        Map<@Nullable Object, @Nullable Object> byThemselves = new HashMap<>();
        elements.forEach(element -> byThemselves.put(element, element));
        List<@Nullable Object> arranged = new ArrayList<>();
        order.forEach(element -> arranged.add(byThemselves.get(element)));
        return arranged;
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

    private static String below(String place, StoredFields.Property property) {
        return place.isEmpty() ? property.name() : place + "." + property.name();
    }

    private static Difference otherValue(String place, Object argument) {
        return new Difference(place, "a " + nameOf(argument) + " is no longer equal after it was stored and read back");
    }

    private static Difference lostField(String place, Object owner, StoredFields.Property field) {
        return new Difference(
                below(place, field),
                "a value would be lost, because this field of " + nameOf(owner) + " is not stored. The cause is an"
                        + " annotation, a subclass field that hides it, or the stored form of the class. If the"
                        + " method does not need the field, annotate it with @JsonIgnore");
    }

    private static Difference otherClass(String place, @Nullable Object argument, @Nullable Object copy) {
        boolean isGenerated = argument != null && isProxy(argument.getClass());
        return new Difference(
                place,
                isGenerated
                        ? "a " + nameOf(argument) + " is a proxy that was generated at run time; pass the object"
                                + " that it wraps (Hibernate.unproxy returns it for a Hibernate entity), or its id"
                        : "a " + nameOf(argument) + " is read back as a " + nameOf(copy)
                                + ", because reading uses only the declared type; declare the class that you store, or"
                                + " annotate the declared type with @JsonTypeInfo(use = NAME) and @JsonSubTypes");
    }

    private static boolean isProxy(Class<?> type) {
        String name = type.getName();
        return Proxy.isProxyClass(type) || name.contains("$$") || name.contains("$HibernateProxy$");
    }

    private static String nameOf(@Nullable Object value) {
        return value == null ? "null" : value.getClass().getTypeName();
    }
}
