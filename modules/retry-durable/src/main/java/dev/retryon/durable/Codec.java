// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.durable.internal.stored.CopyCheck;
import dev.retryon.durable.internal.stored.JacksonCodec;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts arguments of calls to JSON and back, so that calls can be stored. A bean of this type replaces the default
 * codec, which uses Jackson 3 with its own mapper. Thread-safe.
 *
 * <p>Stored data can be older than the code that reads it, so an implementation should ignore unknown properties. It
 * must not read class names from the text, because the text may have been changed. Use the declared type of the
 * parameter, or a name that this type maps to one of its subtypes.
 *
 * @since 0.1.0
 */
public interface Codec {

    /** {@return the default codec, which needs Jackson 3 and has its own mapper} */
    static Codec jackson() {
        return new JacksonCodec();
    }

    /**
     * Encodes an argument.
     *
     * @param argument the argument, or {@code null}
     * @param type the type of the parameter, without type variables of the bean's class
     * @return one JSON value
     * @throws Exception if the argument can't be encoded: the call is not stored
     */
    String encode(@Nullable Object argument, Type type) throws Exception;

    /**
     * Decodes an argument. This is also done before a call is stored, to {@linkplain #difference compare}.
     *
     * @param json the result of {@link #encode}, perhaps of another version of the application; it can also be invalid
     * @param type the type of the parameter
     * @return the argument, or {@code null}
     * @throws Exception if the text does not fit the type: the call does not run
     */
    @Nullable Object decode(String json, Type type) throws Exception;

    /**
     * Checks at start-up whether arguments of a type can be encoded and decoded.
     *
     * @param type the type of a parameter
     * @return why not, such as "a stream can be read only once"; {@code null} if they can, or if that is not known
     */
    default @Nullable String unfit(Type type) {
        return null;
    }

    /**
     * Finds places in a type whose values may change when they are stored and read. Called at start-up; each place
     * becomes part of a warning.
     *
     * @param type the type of a parameter
     * @return a phrase for each place; empty by default
     */
    default List<String> doubts(Type type) {
        return List.of();
    }

    /**
     * Compares an argument with its copy before a call is stored. If they differ, the call is not stored.
     *
     * <p>The default codec compares all stored values. This default method compares only values that mean the same
     * for every codec: the class of the argument, the elements of collections and arrays, and JDK values that define
     * {@code equals}. It does not inspect objects of the application or call their {@code equals}. It never compares
     * the JSON texts, because a codec may encode the same argument in different ways.
     *
     * @param argument the argument, or {@code null}
     * @param decoded the result of {@link #decode} for the encoded argument, or {@code null}
     * @param type the type of the parameter
     * @return how the copy differs, in a phrase that quotes no value; {@code null} if it does not
     * @throws Exception if they can't be compared: the call is not stored
     */
    default @Nullable String difference(@Nullable Object argument, @Nullable Object decoded, Type type)
            throws Exception {
        return new CopyCheck(CopyCheck.Inside.NONE).difference(argument, decoded, type);
    }
}
