// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@code #result} where a style of the application takes it out of what a method returns. */
class HeldResultTests {

    @Test
    void mayBeOfAnotherTypeThanWhatIsReturned() {
        Applications.retrying()
                .withBean(ParcelStyle.class)
                .withBean(Shop.class)
                .withPropertyValues("retryon.defaults.delay=0")
                .run(context -> {
                    assertThat(context.getBean(Shop.class).order().order.status())
                            .isEqualTo("ready");
                });
    }

    /** Has no property {@code status} itself. */
    static final class Parcel {

        private final Order order;

        private Parcel(Order order) {
            this.order = order;
        }
    }

    /** What is in a parcel. */
    public record Order(String status) {}

    static class Shop {

        private final Queue<String> statuses = new ArrayDeque<>(List.of("pending", "ready"));

        @RetryOn(value = IOException.class, retryIf = "#result.status == 'pending'")
        public Parcel order() {
            return new Parcel(new Order(statuses.remove()));
        }
    }

    static class ParcelStyle implements ReturnStyle {

        @Override
        public boolean isStyleOf(Method method) {
            return method.getReturnType() == Parcel.class;
        }

        @Override
        public Object call(
                Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
                throws Throwable {
            return new Parcel(retry.call(invocation, (call, attempt) -> ((Parcel) attempts.run(call, attempt)).order));
        }
    }
}
