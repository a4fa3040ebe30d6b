// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The settings that the return types of methods rule out. */
public interface ReturnTypes {

    /** Why calls of a method can't be retried, as a sentence about its return type; {@code null} if they can. */
    @Nullable String fault(Method method);

    /** Whether the result of a method can be many values, as that of a {@code Flux}, so that no single one can be judged. */
    boolean hasManyValues(Method method);
}
