// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.warehouses;

import dev.retryon.spring.OnError;
import dev.retryon.spring.RetryOn;
import io.grpc.Channel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.health.v1.HealthGrpc.HealthBlockingStub;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;

@Service
public class Warehouses {

    private final HealthBlockingStub health;

    public Warehouses(Channel channel) {
        this.health = HealthGrpc.newBlockingStub(channel);
    }

    @RetryOn(
            policy = "grpc-transient",
            timeout = "10s",
            errors = @OnError(codes = "grpc.DEADLINE_EXCEEDED", maxAttempts = 2))
    public boolean isOpen(String warehouse) {
        HealthCheckRequest request =
                HealthCheckRequest.newBuilder().setService(warehouse).build();
        HealthCheckResponse response =
                health.withDeadlineAfter(2, TimeUnit.SECONDS).check(request);
        return response.getStatus() == ServingStatus.SERVING;
    }
}
