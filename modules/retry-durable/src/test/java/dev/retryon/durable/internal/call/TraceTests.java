// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.WhenFailed;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.semconv.CodeAttributes;
import io.opentelemetry.semconv.ErrorAttributes;
import io.opentelemetry.semconv.ExceptionAttributes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The trace of a call that is made again later, as OpenTelemetry's SDK exports it under Spring Boot's own configuration. */
@Tag("slow")
class TraceTests {

    private static final AttributeKey<String> CALL_ID = AttributeKey.stringKey("retry.call-id");

    private static final AttributeKey<String> ATTEMPT = AttributeKey.stringKey("retry.attempt");

    @TempDir
    private Path folder;

    private ApplicationContextRunner node() {
        InMemorySpanExporter exporter = InMemorySpanExporter.create();
        return DurableTrial.embedded(folder)
                .withConfiguration(AutoConfigurations.of(
                        RetryTelemetryAutoConfiguration.class,
                        ObservationAutoConfiguration.class,
                        MicrometerTracingAutoConfiguration.class,
                        OpenTelemetrySdkAutoConfiguration.class,
                        OpenTelemetryTracingAutoConfiguration.class))
                .withPropertyValues("management.tracing.sampling.probability=1.0", "retryon.durable.threads=1")
                .withBean(InMemorySpanExporter.class, () -> exporter)
                .withBean(SpanProcessor.class, () -> SimpleSpanProcessor.create(exporter))
                .withBean(Mails.class);
    }

    @BeforeEach
    void breakDown() {
        Mails.down = true;
    }

    private static void request(ApplicationContext context, Observation.CheckedRunnable<IOException> work)
            throws IOException {
        Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
                .observeChecked(work);
    }

    private static List<SpanData> spans(ApplicationContext context) {
        return context.getBean(InMemorySpanExporter.class).getFinishedSpanItems();
    }

    private static SpanData span(List<SpanData> spans, String name) {
        List<SpanData> found =
                spans.stream().filter(span -> span.getName().equals(name)).toList();
        assertThat(found).as(name + " in " + spans).hasSize(1);
        return found.get(0);
    }

    private static void awaitSpan(ApplicationContext context, String name) {
        await().until(() ->
                spans(context).stream().anyMatch(span -> span.getName().equals(name)));
    }

    private static DeadLetter letter(ApplicationContext context) {
        await().until(() -> DurableTrial.deadLetters(context).size() == 1);
        return DurableTrial.deadLetters(context).get(0);
    }

    @Test
    void aTraceGoesFromTheFirstAttemptOverARetryOnAnotherNodeToTheResentCallOfItsDeadLetter() {
        List<SpanData> first = new ArrayList<>();
        node().run(context -> {
            request(context, () -> context.getBean(Mails.class).send());
            first.addAll(spans(context));
        });
        List<SpanData> second = new ArrayList<>();
        node().run(context -> {
            letter(context);
            awaitSpan(context, "attempt Mails.send");
            second.addAll(spans(context));
        });
        List<SpanData> third = new ArrayList<>();
        node().run(context -> {
            Mails.down = false;
            String id = letter(context).id();
            assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();
            awaitSpan(context, "attempt Mails.send");
            await().until(() -> letter(context).state() == State.RESOLVED);
            third.addAll(spans(context));
        });

        SpanData request = span(first, "request");
        SpanData stored = span(first, "store Mails.send");
        SpanData attempt = span(second, "attempt Mails.send");
        SpanData kept = span(second, "store Mails.send");
        SpanData resent = span(third, "attempt Mails.send");
        List<SpanData> all = List.of(request, stored, attempt, kept, resent);
        assertThat(all).extracting(SpanData::getTraceId).containsOnly(request.getTraceId());
        assertThat(all)
                .extracting(SpanData::getParentSpanId)
                .containsExactly(
                        "0000000000000000",
                        request.getSpanId(),
                        stored.getSpanId(),
                        attempt.getSpanId(),
                        kept.getSpanId());
        assertThat(all)
                .extracting(SpanData::getKind)
                .containsExactly(
                        SpanKind.INTERNAL, SpanKind.PRODUCER, SpanKind.CONSUMER, SpanKind.PRODUCER, SpanKind.CONSUMER);
        List<SpanData> own = all.subList(1, 5);
        assertThat(own)
                .extracting(span -> span.getAttributes().get(CodeAttributes.CODE_FUNCTION_NAME))
                .containsOnly(Mails.class.getName() + ".send");
        assertThat(own).extracting(span -> span.getAttributes().get(CALL_ID)).doesNotContainNull();
        assertThat(own.stream()
                        .map(span -> span.getAttributes().get(CALL_ID))
                        .distinct()
                        .toList())
                .hasSize(1);
        assertThat(attempt.getAttributes().get(ATTEMPT)).isEqualTo("2");
        failedWith(attempt, IOException.class, "down");
        assertThat(resent.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
        assertThat(resent.getEvents()).isEmpty();
        // The request did not fail: its caller was told that the call will be made.
        assertThat(request.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
        assertThat(request.getEvents()).extracting(EventData::getName).containsExactly("retry");
    }

    private static void failedWith(SpanData span, Class<? extends Exception> error, String message) {
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getAttributes().get(ErrorAttributes.ERROR_TYPE)).isEqualTo(error.getName());
        EventData event = span.getEvents().stream()
                .filter(each -> each.getName().equals("exception"))
                .findAny()
                .orElseThrow();
        assertThat(event.getAttributes().get(ExceptionAttributes.EXCEPTION_TYPE))
                .isEqualTo(error.getName());
        assertThat(event.getAttributes().get(ExceptionAttributes.EXCEPTION_MESSAGE))
                .isEqualTo(message);
        assertThat(event.getAttributes().get(ExceptionAttributes.EXCEPTION_STACKTRACE))
                .startsWith(error.getName());
    }

    @Test
    void anAttemptThatIsFollowedByAnotherHasFailedTooAndBothAreOfOneTrace() {
        node().run(context -> {
            request(context, () -> context.getBean(Mails.class).sendThrice());
            letter(context);
            await().until(() -> attempts(context).size() == 2);

            SpanData request = span(spans(context), "request");
            assertThat(attempts(context)).allSatisfy(attempt -> {
                assertThat(attempt.getTraceId()).isEqualTo(request.getTraceId());
                failedWith(attempt, IOException.class, "down");
            });
            assertThat(attempts(context))
                    .extracting(span -> span.getAttributes().get(ATTEMPT))
                    .containsExactly("2", "3");
            assertThat(attempts(context).get(0).getEvents())
                    .extracting(EventData::getName)
                    .containsExactlyInAnyOrder("retry", "exception");
        });
    }

    private static List<SpanData> attempts(ApplicationContext context) {
        return spans(context).stream()
                .filter(span -> span.getName().equals("attempt Mails.sendThrice"))
                .toList();
    }

    @Test
    void aResentCallWhoseResultComesLaterEndsItsSpanWithThatResult() {
        node().run(context -> {
            Mails mails = context.getBean(Mails.class);
            request(context, mails::fetch);
            Mails.fetched.completeExceptionally(new IOException("down"));
            String id = letter(context).id();
            CompletableFuture<String> earlier = Mails.fetched;
            assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();
            await().until(() -> Mails.fetched != earlier);
            assertThat(spans(context)).extracting(SpanData::getName).doesNotContain("attempt Mails.fetch");
            Mails.fetched.completeExceptionally(new IllegalStateException("still down"));
            awaitSpan(context, "attempt Mails.fetch");

            failedWith(span(spans(context), "attempt Mails.fetch"), IllegalStateException.class, "still down");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "4711",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nx: y",
                "<script>alert(1)</script>"
            })
    void aPlaceThatIsNoneIsIgnoredAndTheResentCallHasItsOwnTrace(String edited) {
        node().run(context -> {
            try {
                context.getBean(Mails.class).keep();
            } catch (IOException ex) {
                Mails.down = false;
            }
            DeadLetter letter = letter(context);
            assertThat(letter.traceParent()).startsWith("00-");
            DurableTrial.store(context)
                    .jdbc()
                    .sql("update " + RetryStore.CALLS + " set trace_parent = :edited")
                    .param("edited", edited)
                    .update();
            assertThat(context.getBean(StoredCalls.class).resend(letter.id())).isTrue();
            awaitSpan(context, "attempt Mails.keep");

            SpanData resent = span(spans(context), "attempt Mails.keep");
            assertThat(resent.getTraceId()).isNotEqualTo(letter.traceParent().substring(3, 35));
            assertThat(resent.getParentSpanId()).isEqualTo("0000000000000000");
            await().until(() -> letter(context).state() == State.RESOLVED);
        });
    }

    static class Mails {

        private static volatile boolean down;

        private static volatile CompletableFuture<String> fetched;

        @RetryOn(value = IOException.class, maxAttempts = 2, delay = "2s")
        @Durable(value = ON_FAILURE, whenFailed = WhenFailed.KEEP_ALL)
        public void send() throws IOException {
            if (down) {
                throw new IOException("down");
            }
        }

        @RetryOn(value = IOException.class, maxAttempts = 3)
        @Durable(ON_FAILURE)
        public void sendThrice() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void keep() throws IOException {
            if (down) {
                throw new IOException("down");
            }
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public CompletableFuture<String> fetch() {
            fetched = new CompletableFuture<>();
            return fetched;
        }
    }
}
