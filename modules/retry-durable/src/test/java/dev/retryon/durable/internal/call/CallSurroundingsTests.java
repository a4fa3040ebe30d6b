// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetrySucceeded;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What an attempt of a worker finds around it: the log context, the trace and the call of the one who asked for it. */
class CallSurroundingsTests {

    private static final String PLACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @TempDir
    private Path folder;

    private ApplicationContextRunner application() {
        return DurableTrial.embedded(folder)
                .withPropertyValues("retryon.durable.threads=1")
                .withBean(Mails.class);
    }

    private static Mails mails(ApplicationContext context) {
        return context.getBean(Mails.class);
    }

    @AfterEach
    void clear() {
        MDC.clear();
    }

    @Test
    void anAttemptHasTheLogContextOfItsCallerAndTheWorkerForgetsIt() {
        application().run(context -> {
            MDC.put("customer", "ann");
            MDC.put("traceId", "4711");
            mails(context).send(2);
            MDC.clear();
            mails(context).send(2);

            await().until(() -> mails(context).seen().size() == 4);
            await().until(() -> DurableTrial.stored(context) == 0);
            List<Seen> later = mails(context).seen().stream()
                    .filter(seen -> seen.thread().equals("retryon-worker-1"))
                    .toList();
            assertThat(later).extracting(Seen::customer).containsExactlyInAnyOrder("ann", null);
            assertThat(later).extracting(Seen::trace).containsExactlyInAnyOrder("4711", null);
        });
    }

    @Test
    void aDeadLetterNamesTheTraceOfTheCaller() {
        application().run(context -> {
            MDC.put("traceId", "4711");
            mails(context).send(9);

            await().until(() -> DurableTrial.deadLetters(context).size() == 1);
            assertThat(DurableTrial.deadLetters(context))
                    .singleElement()
                    .extracting(DeadLetter::traceId)
                    .isEqualTo("4711");
        });
    }

    @Test
    void anAttemptContinuesTheTraceThatTheCallWasStoredIn() {
        Tracer tracer = new Tracer();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(tracer);
        application().withBean(ObservationRegistry.class, () -> registry).run(context -> {
            tracer.current = PLACE;
            mails(context).send(9);

            await().until(() -> DurableTrial.deadLetters(context).size() == 1);
            assertThat(mails(context).seen())
                    .extracting(Seen::trace)
                    .containsExactly(null, "span of " + PLACE, "span of " + PLACE);
            // The dead letter is stored within the last attempt, whose observation ends a moment later.
            await().untilAsserted(() -> assertThat(tracer.observed)
                    .containsExactly(
                            "start store Mails.send",
                            "stop store Mails.send",
                            "start attempt Mails.send",
                            "stop attempt Mails.send",
                            "start attempt Mails.send",
                            "start store Mails.send",
                            "stop store Mails.send",
                            "stop attempt Mails.send"));
            assertThat(DurableTrial.deadLetters(context))
                    .singleElement()
                    .extracting(DeadLetter::traceId, DeadLetter::traceParent)
                    .containsExactly("span of " + PLACE, PLACE);
        });
    }

    @Test
    void aSuccessNamesTheErrorOfAnAttemptThatWasMadeBeforeTheCallWasStored() {
        Events events = new Events();
        application().withBean(Events.class, () -> events).run(context -> {
            mails(context).send(2);

            await().until(() -> DurableTrial.stored(context) == 0);
            await().until(() -> events.succeeded() != null);
            assertThat(events.succeeded().error()).isNull();
            assertThat(events.succeeded().errorType()).isEqualTo(IOException.class.getName());
        });
    }

    record Seen(int attempt, String customer, String trace, String thread) {}

    static class Mails {

        private final List<Seen> seen = new CopyOnWriteArrayList<>();

        List<Seen> seen() {
            return seen;
        }

        @RetryOn(value = IOException.class, maxAttempts = 3)
        @Durable(ON_FAILURE)
        public void send(int up) throws IOException {
            int attempt = RetryContext.current().attempt();
            seen.add(new Seen(
                    attempt,
                    MDC.get("customer"),
                    MDC.get("traceId"),
                    Thread.currentThread().getName()));
            if (attempt < up) {
                throw new IOException("down");
            }
        }
    }

    static class Events implements RetryListener {

        private final List<RetryEvent> all = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(RetryEvent event) {
            all.add(event);
        }

        RetrySucceeded succeeded() {
            return all.stream()
                    .filter(RetrySucceeded.class::isInstance)
                    .map(RetrySucceeded.class::cast)
                    .findAny()
                    .orElse(null);
        }
    }

    /** Does what a tracing library does: writes the trace to what is sent, and continues it where that is received. */
    static class Tracer implements ObservationHandler<Observation.Context> {

        private final List<String> observed = new CopyOnWriteArrayList<>();

        private volatile String current;

        @Override
        @SuppressWarnings("unchecked")
        public void onStart(Observation.Context context) {
            observed.add("start " + context.getContextualName());
            if (context instanceof SenderContext<?> sender) {
                SenderContext<Map<String, String>> call = (SenderContext<Map<String, String>>) sender;
                call.getSetter().set(call.getCarrier(), "traceparent", current);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        public void onScopeOpened(Observation.Context context) {
            if (context instanceof ReceiverContext<?> receiver) {
                ReceiverContext<Map<String, String>> call = (ReceiverContext<Map<String, String>>) receiver;
                MDC.put("traceId", "span of " + call.getGetter().get(call.getCarrier(), "traceparent"));
            }
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            MDC.remove("traceId");
        }

        @Override
        public void onStop(Observation.Context context) {
            observed.add("stop " + context.getContextualName());
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
