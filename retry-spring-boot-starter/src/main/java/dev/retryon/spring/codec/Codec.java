/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.codec;

import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns arguments of calls into JSON, so that the calls can be stored, and back. A bean of this type replaces the codec of
 * the starter, which is Jackson 3 with a mapper of its own. Thread-safe.
 *
 * <p>What is stored is older than the code that reads it: an implementation should ignore properties that it does not know.
 * And it must not take the type of anything from the text, which may have been changed: a type is what the parameter
 * says, or a name that the type itself maps to one of its subtypes.
 *
 * @since 0.1.0
 */
public interface Codec {

    /**
     * The codec of the starter. Needs Jackson 3.
     *
     * @return a codec with a mapper of its own
     */
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
     * @param json what {@link #encode} returned, perhaps in another version of the application; or anything else
     * @param type the type of the parameter
     * @return the argument, or {@code null}
     * @throws Exception if the text does not fit the type: the call is not made
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
     * Finds places in a type whose values may not come back as they were. Asked at start-up; each becomes a part of a warning.
     *
     * @param type the type of a parameter
     * @return a phrase for each place; empty by default
     */
    default List<String> doubts(Type type) {
        return List.of();
    }

    /**
     * Compares an argument with its copy before a call is stored. A call with an argument that does not come back as it was is
     * not stored.
     *
     * <p>The codec of the starter compares all that it has stored. This default compares only what is certain to mean the same
     * for every codec: the class of the argument, the elements of collections and arrays, and values of the JDK that have an
     * {@code equals}. It neither looks into objects of the application nor calls their {@code equals}, and it never compares
     * texts, because a codec may encode the same argument to different texts.
     *
     * @param argument the argument, or {@code null}
     * @param decoded what {@link #decode} made of the encoded argument, or {@code null}
     * @param type the type of the parameter
     * @return how the copy differs, in a phrase that quotes no value; {@code null} if it does not
     * @throws Exception if they can't be compared: the call is not stored
     */
    default @Nullable String difference(@Nullable Object argument, @Nullable Object decoded, Type type)
            throws Exception {
        return new CopyCheck(CopyCheck.Inside.NONE).difference(argument, decoded, type);
    }
}
