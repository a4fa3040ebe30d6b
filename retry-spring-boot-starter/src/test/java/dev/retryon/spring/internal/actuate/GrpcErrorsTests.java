// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Any;
import com.google.protobuf.StringValue;
import com.google.rpc.RetryInfo;
import dev.retryon.RetryContext;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.OnError;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.internal.settings.StandardHints;
import dev.retryon.test.RecordedRetries;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.OverridingClassLoader;

/** Calls of a gRPC server: the codes of its errors, the policy for them, and the delays that it requests. */
class GrpcErrorsTests {

    private static final Metadata.Key<String> PUSHBACK =
            Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private static final MethodDescriptor<String, String> QUOTE = MethodDescriptor.newBuilder(new Text(), new Text())
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("acme.Quotes/Quote")
            .build();

    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    /** The errors of the server's next answers. After them, it answers with a quote. */
    private final Queue<StatusRuntimeException> errors = new ArrayDeque<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(RetryAutoConfiguration.class, RetryEndpointAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withPropertyValues(
                    "spring.jmx.enabled=true",
                    "management.endpoints.jmx.exposure.include=*",
                    "retryon.defaults.backoff=fixed",
                    "retryon.defaults.jitter=none")
            .withBean(Quotes.class, () -> new Quotes(this.channel));

    private Server server;

    private ManagedChannel channel;

    @BeforeEach
    void start() throws IOException {
        String name = InProcessServerBuilder.generateName();
        server = InProcessServerBuilder.forName(name)
                .directExecutor()
                .addService(ServerServiceDefinition.builder("acme.Quotes")
                        .addMethod(QUOTE, ServerCalls.asyncUnaryCall(this::answer))
                        .build())
                .build()
                .start();
        channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        server.shutdownNow();
    }

    private void answer(String item, StreamObserver<String> observer) {
        StatusRuntimeException error = errors.poll();
        if (error != null) {
            observer.onError(error);
        } else {
            observer.onNext(item + " for 3");
            observer.onCompleted();
        }
    }

    /** A channel is a parameter of the real clients too. */
    public static class Quotes {

        private final ManagedChannel channel;

        Quotes(ManagedChannel channel) {
            this.channel = channel;
        }

        @RetryOn(policy = "grpc-transient")
        public String quote(String item) {
            return ClientCalls.blockingUnaryCall(channel, QUOTE, CallOptions.DEFAULT, item);
        }

        @RetryOn(policy = "grpc-transient")
        public String quoteChecked(String item) throws StatusException {
            return ClientCalls.blockingV2UnaryCall(channel, QUOTE, CallOptions.DEFAULT, item);
        }

        @RetryOn(policy = "grpc-transient")
        public String quoteWrapped(String item) {
            try {
                return ClientCalls.blockingUnaryCall(channel, QUOTE, CallOptions.DEFAULT, item);
            } catch (StatusRuntimeException ex) {
                throw new IllegalStateException("no quote", ex);
            }
        }

        /** A {@code ListenableFuture}, which is a {@code Future}. */
        @RetryOn(policy = "grpc-transient")
        public Future<String> quoteLater(String item) {
            return ClientCalls.futureUnaryCall(channel.newCall(QUOTE, CallOptions.DEFAULT), item);
        }

        @RetryOn(policy = "grpc-transient")
        public CompletableFuture<String> quoteAtOnce(String item) {
            ListenableFuture<String> quote =
                    ClientCalls.futureUnaryCall(channel.newCall(QUOTE, CallOptions.DEFAULT), item);
            CompletableFuture<String> stage = new CompletableFuture<>();
            quote.addListener(
                    () -> {
                        try {
                            stage.complete(quote.get());
                        } catch (ExecutionException ex) {
                            stage.completeExceptionally(ex.getCause());
                        } catch (InterruptedException ex) {
                            stage.completeExceptionally(ex);
                        }
                    },
                    Runnable::run);
            return stage;
        }

        @RetryOn(
                maxAttempts = 2,
                errors = @OnError(codes = "grpc.NOT_FOUND", delay = "7s"),
                nonRetryableErrors = "grpc.UNAVAILABLE",
                exceptions = StatusRuntimeException.class)
        public String quoteNew(String item) {
            return ClientCalls.blockingUnaryCall(channel, QUOTE, CallOptions.DEFAULT, item);
        }

        @RetryOn(policy = "grpc-transient")
        public String distrust() {
            throw Status.UNAVAILABLE
                    .withDescription("io exception")
                    .withCause(new IOException(new CertificateException("unknown issuer")))
                    .asRuntimeException();
        }
    }

    private static StatusRuntimeException error(Status status) {
        return status.asRuntimeException();
    }

    private static <T> StatusRuntimeException unavailable(Metadata.Key<T> key, T value) {
        Metadata trailers = new Metadata();
        trailers.put(key, value);
        return Status.UNAVAILABLE.asRuntimeException(trailers);
    }

    private static StatusRuntimeException throttled(long seconds, int nanos) {
        RetryInfo info = RetryInfo.newBuilder()
                .setRetryDelay(com.google.protobuf.Duration.newBuilder()
                        .setSeconds(seconds)
                        .setNanos(nanos))
                .build();
        return StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(com.google.rpc.Code.RESOURCE_EXHAUSTED_VALUE)
                .addDetails(Any.pack(StringValue.of("slow down")))
                .addDetails(Any.pack(info))
                .build());
    }

    /** The waits of a call. The server answers with these errors, and then with a quote. */
    private List<Duration> waits(
            AssertableApplicationContext context, Callable<String> call, StatusRuntimeException... answers)
            throws Exception {
        RecordedRetries retries = context.getBean(RecordedRetries.class);
        retries.clear();
        errors.addAll(List.of(answers));
        assertThat(call.call()).isEqualTo("tea for 3");
        return retries.calls().get(0).waits();
    }

    private RetryResult<String> result(AssertableApplicationContext context, StatusRuntimeException... answers) {
        errors.addAll(List.of(answers));
        Quotes quotes = context.getBean(Quotes.class);
        RetryResult<String> result = Retries.capture(() -> quotes.quote("tea"));
        errors.clear();
        return result;
    }

    @Test
    void thePolicyRetriesTemporaryStatuses() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            assertThat(waits(context, () -> quotes.quote("tea"), error(Status.UNAVAILABLE)))
                    .containsExactly(HALF_A_SECOND);
            assertThat(waits(context, () -> quotes.quote("tea"), error(Status.RESOURCE_EXHAUSTED)))
                    .containsExactly(Duration.ofSeconds(1));
            assertThat(waits(context, () -> quotes.quote("tea"), error(Status.ABORTED)))
                    .allMatch(wait -> wait.compareTo(Duration.ofMillis(50)) <= 0);
            RetryResult<String> down = result(
                    context,
                    error(Status.UNAVAILABLE),
                    error(Status.UNAVAILABLE),
                    error(Status.UNAVAILABLE),
                    error(Status.UNAVAILABLE));
            assertThat(down.attempts()).isEqualTo(4);
            assertThat(down.stopReason()).isEqualTo(StopReason.EXHAUSTED);
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            mode = Mode.EXCLUDE,
            names = {"OK", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "ABORTED"})
    void thePolicyRetriesNoOtherStatus(Status.Code code) {
        runner.run(context -> {
            RetryResult<String> result = result(context, error(code.toStatus()));

            assertThat(result.attempts()).isEqualTo(1);
            assertThat(result.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
        });
    }

    @Test
    void thePolicyDoesNotRetryWrongCertificates() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            RetryResult<String> result = Retries.capture(quotes::distrust);

            assertThat(result.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
        });
    }

    @Test
    void checkedExceptionsAndCausesHaveCodesToo() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            assertThat(waits(context, () -> quotes.quoteChecked("tea"), unavailable(PUSHBACK, "20")))
                    .containsExactly(Duration.ofMillis(20));
            assertThat(waits(context, () -> quotes.quoteChecked("tea"), error(Status.UNAVAILABLE)))
                    .containsExactly(HALF_A_SECOND);
            assertThat(waits(context, () -> quotes.quoteWrapped("tea"), unavailable(PUSHBACK, "30")))
                    .containsExactly(Duration.ofMillis(30));
        });
    }

    @Test
    void futuresAreRetried() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            assertThat(waits(
                            context,
                            () -> quotes.quoteLater("tea").get(),
                            error(Status.UNAVAILABLE),
                            unavailable(PUSHBACK, "20")))
                    .containsExactly(HALF_A_SECOND, Duration.ofMillis(20));
            assertThat(waits(
                            context, () -> quotes.quoteAtOnce("tea").get(), error(Status.UNAVAILABLE), throttled(3, 0)))
                    .containsExactly(HALF_A_SECOND, Duration.ofSeconds(3));
        });
    }

    @Test
    void rulesAndExclusionsMatchTheCodes() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            assertThat(waits(context, () -> quotes.quoteNew("tea"), error(Status.NOT_FOUND)))
                    .containsExactly(Duration.ofSeconds(7));
            errors.add(error(Status.UNAVAILABLE));
            assertThatThrownBy(() -> quotes.quoteNew("tea")).hasMessage("UNAVAILABLE");
        });
    }

    @Test
    void aCallCanHaveRules() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            List<Duration> waits = Retries.with(settings ->
                            settings.onErrorCode("grpc.DEADLINE_EXCEEDED", rule -> rule.delay(Duration.ofSeconds(9))))
                    .call(() -> waits(
                            context,
                            () -> quotes.quote("tea"),
                            error(Status.DEADLINE_EXCEEDED),
                            error(Status.UNAVAILABLE)));
            assertThat(waits).containsExactly(Duration.ofSeconds(9), HALF_A_SECOND);
        });
    }

    @Test
    void aPolicyOfAnApplicationExtendsTheBuiltInOne() {
        runner.withPropertyValues(
                        "retryon.policies.grpc-transient.max-attempts=2",
                        "retryon.policies.grpc-transient.errors[grpc.INTERNAL].delay=4s")
                .run(context -> {
                    Quotes quotes = context.getBean(Quotes.class);
                    assertThat(waits(context, () -> quotes.quote("tea"), error(Status.INTERNAL)))
                            .containsExactly(Duration.ofSeconds(4));
                    Map<String, ?> settings = context.getBean(RetryOnEndpoint.class).retries().retries().stream()
                            .filter(retry -> retry.name().equals("Quotes.quote"))
                            .findFirst()
                            .orElseThrow()
                            .methods()
                            .get(0)
                            .settings();
                    assertThat(settings.get("errors[grpc.INTERNAL].delay"))
                            .asString()
                            .contains("4s", "retryon.policies.grpc-transient");
                    assertThat(settings.get("errors[grpc.RESOURCE_EXHAUSTED].delay"))
                            .asString()
                            .contains("1s", "built-in policy grpc-transient");
                    assertThat(settings.get("maxAttempts")).asString().contains("2");
                });
    }

    @Test
    void theServerSetsTheDelay() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            assertThat(waits(context, () -> quotes.quote("tea"), unavailable(PUSHBACK, "1234")))
                    .containsExactly(Duration.ofMillis(1234));
            assertThat(waits(context, () -> quotes.quote("tea"), unavailable(PUSHBACK, "0")))
                    .containsExactly(Duration.ZERO);
            assertThat(waits(context, () -> quotes.quote("tea"), throttled(2, 500_000_000)))
                    .containsExactly(Duration.ofMillis(2500));
        });
    }

    @Test
    void pushbackComesBeforeRetryInfo() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            StatusRuntimeException both = throttled(2, 0);
            both.getTrailers().put(PUSHBACK, "70");
            assertThat(waits(context, () -> quotes.quote("tea"), both)).containsExactly(Duration.ofMillis(70));
        });
    }

    @Test
    void aLongerDelayThanTheMaximumEndsTheCall() {
        runner.withPropertyValues("retryon.policies.grpc-transient.max-delay=3s")
                .run(context -> {
                    assertThat(result(context, unavailable(PUSHBACK, "3001")).stopReason())
                            .isEqualTo(StopReason.DELAY_TOO_LONG);
                    assertThat(result(context, throttled(3, 1)).stopReason()).isEqualTo(StopReason.DELAY_TOO_LONG);
                    assertThat(result(context, throttled(Long.MAX_VALUE, 999_999_999))
                                    .stopReason())
                            .isEqualTo(StopReason.DELAY_TOO_LONG);
                    assertThat(result(context, throttled(3, 0)).value()).isEqualTo("tea for 3");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "soon", "1.5", "", "2147483648"})
    void otherPushbackThanADelayEndsTheCall(String pushback) {
        runner.run(context -> {
            RetryResult<String> result = result(context, unavailable(PUSHBACK, pushback));

            assertThat(result.attempts()).isEqualTo(1);
            assertThat(result.stopReason()).isEqualTo(StopReason.DELAY_TOO_LONG);
        });
    }

    @Test
    void unreadableDetailsAreIgnored() {
        runner.run(context -> {
            Quotes quotes = context.getBean(Quotes.class);
            byte[] broken = com.google.rpc.Status.newBuilder()
                    .addDetails(Any.newBuilder()
                            .setTypeUrl("type.googleapis.com/google.rpc.RetryInfo")
                            .setValue(com.google.protobuf.ByteString.copyFromUtf8("nonsense")))
                    .build()
                    .toByteArray();
            byte[] empty = com.google.rpc.Status.newBuilder()
                    .addDetails(Any.pack(RetryInfo.getDefaultInstance()))
                    .build()
                    .toByteArray();
            for (byte[] details : List.of("nonsense".getBytes(StandardCharsets.UTF_8), broken, empty, new byte[0])) {
                assertThat(waits(context, () -> quotes.quote("tea"), unavailable(DETAILS, details)))
                        .containsExactly(HALF_A_SECOND);
            }
            for (StatusRuntimeException nonsense :
                    List.of(throttled(-1, 0), throttled(0, -1), throttled(1, 1_000_000_000))) {
                assertThat(waits(context, () -> quotes.quote("tea"), nonsense)).containsExactly(Duration.ofSeconds(1));
            }
        });
    }

    @Test
    void grpcAndProtobufAreOptional() throws Exception {
        RetryHintResolver withoutGrpc = without("io.grpc.", StandardHints.class);
        assertThat(hint(withoutGrpc, new SQLException("conflict", "40001")).errorCode())
                .isEqualTo("sql.40001");
        assertThat(hint(withoutGrpc, error(Status.UNAVAILABLE))).isNull();

        RetryHintResolver withoutProtobuf = without("com.google.", StandardHints.class);
        assertThat(hint(withoutProtobuf, throttled(2, 0)).retryAfter()).isNull();
        assertThat(hint(withoutProtobuf, unavailable(PUSHBACK, "20")).retryAfter())
                .isEqualTo(Duration.ofMillis(20));
    }

    private static RetryHint hint(RetryHintResolver resolver, Throwable error) {
        return resolver.resolve(error, mock(RetryContext.class));
    }

    /** An instance of a class that does not find a package. */
    @SuppressWarnings("unchecked")
    private static <T> T without(String missing, Class<? extends T> type) throws Exception {
        ClassLoader loader = new OverridingClassLoader(type.getClassLoader()) {
            @Override
            protected boolean isEligibleForOverriding(String name) {
                return name.startsWith(type.getPackageName());
            }

            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.startsWith(missing)) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }
        };
        return (T) loader.loadClass(type.getName()).getConstructor().newInstance();
    }

    /** Marshals text, instead of code that the protobuf compiler generates. */
    private static final class Text implements MethodDescriptor.Marshaller<String> {

        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try (stream) {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }
}
