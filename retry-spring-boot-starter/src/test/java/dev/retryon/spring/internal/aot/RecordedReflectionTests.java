// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.internal.aot.RetryAotTests.Order;
import dev.retryon.spring.internal.aot.RetryAotTests.Payments;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Member;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.agent.RecordedInvocation;
import org.springframework.aot.agent.RecordedInvocationsListener;
import org.springframework.aot.agent.RecordedInvocationsPublisher;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * An application that runs under Spring's agent, which records what is done by reflection: all of it that touches the
 * application's own classes has a hint.
 */
@Tag("process")
class RecordedReflectionTests {

    private static final String RECORDED = "recorded: ";

    private static final String MISSING = "missing: ";

    @Test
    void everyReflectiveUseOfTheApplicationHasAHint() throws Exception {
        List<String> lines = run();
        assertThat(lines).filteredOn(line -> line.startsWith(MISSING)).isEmpty();
        assertThat(lines)
                .as("%s", lines)
                .filteredOn(line -> line.startsWith(RECORDED))
                .singleElement()
                .satisfies(line -> assertThat(Integer.parseInt(line.substring(RECORDED.length())))
                        .isGreaterThan(10));
    }

    private static List<String> run() throws IOException, InterruptedException {
        String agent = new File(RecordedInvocation.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .getPath();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-javaagent:" + agent + "=+org.springframework,+dev.retryon",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }

    /** Records what an application does while it starts and makes calls. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) {
            TestGenerationContext generation = new TestGenerationContext();
            RetryAotTests.process(generation);
            RuntimeHints hints = generation.getRuntimeHints();
            new RetryRuntimeHints().registerHints(hints, null);
            List<RecordedInvocation> recorded = new ArrayList<>();
            RecordedInvocationsListener listener = recorded::add;
            try (AnnotationConfigApplicationContext context = RetryAotTests.application()) {
                context.refresh();
                RecordedInvocationsPublisher.addListener(listener);
                callEverything(context.getBean(Payments.class));
                RecordedInvocationsPublisher.removeListener(listener);
            }
            List<RecordedInvocation> ours =
                    recorded.stream().filter(Program::isOfTheApplication).toList();
            ours.stream()
                    .filter(invocation -> !invocation.matches(hints))
                    .forEach(invocation -> System.out.println(MISSING + invocation.getMethodReference() + " "
                            + subjects(invocation).toList()));
            System.out.println(RECORDED + ours.size());
        }

        private static void callEverything(Payments payments) {
            payments.charge(new Order(9));
            payments.recovered(new Order(9));
            payments.poll();
            List<Runnable> failing =
                    List.of(() -> payments.gated(new Order(1)), () -> payments.gatedByItself(new Order(1)));
            for (Runnable call : failing) {
                try {
                    call.run();
                } catch (RetryAotTests.PaymentException ex) {
                    continue;
                }
                throw new IllegalStateException("a call that fails has not failed");
            }
        }

        private static boolean isOfTheApplication(RecordedInvocation invocation) {
            return subjects(invocation)
                    .map(subject -> subject instanceof Member member ? member.getDeclaringClass() : subject)
                    .anyMatch(subject -> subject instanceof Class<?> type
                            && type.getName().startsWith(RetryAotTests.class.getName() + "$")
                            && !type.getName().contains("$$"));
        }

        /** What the reflection is about: the class or member, as instance or first argument. */
        private static Stream<Object> subjects(RecordedInvocation invocation) {
            List<Object> subjects = new ArrayList<>();
            if (!invocation.isStatic()) {
                subjects.add(invocation.getInstance());
            }
            subjects.addAll(invocation.getArguments());
            return subjects.stream();
        }
    }
}
