// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The advice that is the last of its chain calls the target itself (architecture, "Hot path"). */
class TargetCallsTests {

    private final ApplicationContextRunner runner = Applications.retrying();

    @Test
    void theLastAdviceCallsTheTargetWithoutReflection() {
        runner.withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            assertThat(way(calls)).doesNotContain("invokeJoinpoint").contains("fail");

            // To show that the other way would be seen.
            ((Advised) calls).addAdvice((MethodInterceptor) invocation -> invocation.proceed());
            assertThat(way(calls)).contains("invokeJoinpoint");
        });
    }

    private static List<String> way(Calls calls) {
        Throwable thrown = catchThrowable(calls::fail);
        assertThat(thrown).isInstanceOf(IOException.class);
        return Arrays.stream(thrown.getStackTrace())
                .map(StackTraceElement::getMethodName)
                .toList();
    }

    @Test
    void eachMethodIsCalledWithItsOwnArguments() {
        runner.withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (int time = 0; time < 2; time++) {
                assertThat(calls.add(1, 2L, (byte) 3)).isEqualTo(6.0);
                assertThat(calls.isSet('x', true)).isTrue();
                assertThat(calls.join("a", "b", "c")).isEqualTo("a[b, c]");
                assertThat(calls.join(null)).isEqualTo("null[]");
                assertThat(calls.hidden("me")).isEqualTo("hidden me");
                calls.nothing();
                assertThat(calls.self())
                        .as("Spring gives the proxy for its target")
                        .isSameAs(calls);
            }
        });
    }

    @Test
    void allInstancesOfAPrototypeShareTheClassesThatCallThem() {
        runner.withBean(Calls.class, Calls::new, bean -> bean.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> {
                    Set<Class<?>> callers = new HashSet<>();
                    for (int instance = 0; instance < 3; instance++) {
                        callers.addAll(context.getBean(Calls.class).hiddenCallers());
                    }
                    assertThat(callers).hasSize(1);
                });
    }

    @RetryOn(value = IOException.class, delay = "0")
    static class Calls {

        public List<Class<?>> hiddenCallers() {
            return StackWalker.getInstance(Set.of(Option.RETAIN_CLASS_REFERENCE, Option.SHOW_HIDDEN_FRAMES))
                    .walk(frames -> frames.<Class<?>>map(StackFrame::getDeclaringClass)
                            .filter(type -> type.isHidden() && type.getName().startsWith(ConstantCall.class.getName()))
                            .toList());
        }

        public void fail() throws IOException {
            throw new IOException();
        }

        public double add(int first, long second, byte third) {
            return first + second + third;
        }

        public boolean isSet(char name, boolean value) {
            return name == 'x' && value;
        }

        public String join(@Nullable String first, String... others) {
            return first + Arrays.toString(others);
        }

        @RetryOn(IOException.class)
        String hidden(String name) {
            return "hidden " + name;
        }

        public void nothing() {}

        public Calls self() {
            return this;
        }
    }
}
