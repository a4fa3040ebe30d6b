/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.codec;

import java.lang.reflect.Type;
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
     * Decodes an argument. This is also done before a call is stored, as a test.
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
}
