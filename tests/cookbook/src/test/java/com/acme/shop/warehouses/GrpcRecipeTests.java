// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.warehouses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.rpc.Code;
import com.google.rpc.RetryInfo;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@SpringBootTest(properties = "retryon.defaults.jitter=none")
@VirtualRetries
class GrpcRecipeTests {

    @Autowired
    private Warehouses warehouses;

    @Autowired
    private Answers answers;

    @Autowired
    private RecordedRetries retries;

    @BeforeEach
    void forget() {
        answers.errors.clear();
        retries.time().clearWaits();
    }

    @Test
    void theServerSaysHowLongToWait() {
        RetryInfo info = RetryInfo.newBuilder()
                .setRetryDelay(com.google.protobuf.Duration.newBuilder().setSeconds(3))
                .build();
        answers.errors.addAll(List.of(
                Status.UNAVAILABLE.asRuntimeException(),
                StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                        .setCode(Code.RESOURCE_EXHAUSTED_VALUE)
                        .addDetails(Any.pack(info))
                        .build())));

        assertThat(warehouses.isOpen("north")).isTrue();

        assertThat(retries.time().waits()).containsExactly(Duration.ofMillis(500), Duration.ofSeconds(3));
    }

    @Test
    void aCallThatIsTooSlowIsRepeatedOnce() {
        answers.errors.addAll(
                List.of(Status.DEADLINE_EXCEEDED.asRuntimeException(), Status.DEADLINE_EXCEEDED.asRuntimeException()));

        assertThatThrownBy(() -> warehouses.isOpen("north")).isInstanceOf(StatusRuntimeException.class);
        assertThat(retries).of("Warehouses.isOpen").attempted(2);
    }

    static class Answers extends HealthGrpc.HealthImplBase {

        private final Queue<StatusRuntimeException> errors = new ArrayDeque<>();

        @Override
        public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
            StatusRuntimeException error = errors.poll();
            if (error != null) {
                observer.onError(error);
            } else {
                observer.onNext(HealthCheckResponse.newBuilder()
                        .setStatus(ServingStatus.SERVING)
                        .build());
                observer.onCompleted();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Warehouses.class, Answers.class})
    static class Shop {

        @Bean(destroyMethod = "shutdownNow")
        Server server(Answers answers) throws IOException {
            return InProcessServerBuilder.forName("warehouses")
                    .directExecutor()
                    .addService(answers)
                    .build()
                    .start();
        }

        @Bean(destroyMethod = "shutdownNow")
        ManagedChannel channel(Server server) {
            return InProcessChannelBuilder.forName("warehouses")
                    .directExecutor()
                    .build();
        }
    }
}
