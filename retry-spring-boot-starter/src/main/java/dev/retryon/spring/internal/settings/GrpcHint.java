// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import dev.retryon.RetryHint;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The hint of an exception of gRPC. The code is {@code grpc.<STATUS>}. The delay is in the trailers: the pushback of gRPC's
 * own retries, or else {@code google.rpc.RetryInfo}. Used only where gRPC is on the class path.
 */
record GrpcHint(Status status, @Nullable Metadata trailers) implements RetryHint {

    /** Returns the hint of the error itself, not of its causes, or {@code null} if the error does not come from gRPC. */
    static @Nullable GrpcHint of(Throwable error) {
        if (error instanceof StatusRuntimeException unchecked) {
            return new GrpcHint(unchecked.getStatus(), unchecked.getTrailers());
        }
        return error instanceof StatusException checked
                ? new GrpcHint(checked.getStatus(), checked.getTrailers())
                : null;
    }

    @Override
    public String errorCode() {
        return "grpc." + status.getCode().name();
    }

    @Override
    public @Nullable Duration retryAfter() {
        if (trailers == null) {
            return null;
        }
        String pushback = trailers.get(Pushback.KEY);
        if (pushback != null) {
            return pushback(pushback);
        }
        return StandardHints.HAS_RETRY_INFO ? Details.retryDelay(trailers) : null;
    }

    /** Parses the pushback. In gRPC's retry design (A6), any value except a number of milliseconds asks for no retry. */
    private static Duration pushback(String value) {
        try {
            int millis = Integer.parseInt(value);
            return millis < 0 ? NEVER : Duration.ofMillis(millis);
        } catch (NumberFormatException ex) {
            return NEVER;
        }
    }

    /** Loaded with the first trailers, because the key needs libraries that can be absent if gRPC is not used. */
    private static final class Pushback {

        private static final Metadata.Key<String> KEY =
                Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
    }

    /** Loaded only if protobuf is on the class path. */
    private static final class Details {

        private static final Metadata.Key<byte[]> DETAILS =
                Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

        /** Passed as a value, because protobuf looks types up by reflection, which native images do not support. */
        private static final RetryInfo TYPE = RetryInfo.getDefaultInstance();

        private static final int NANOS_PER_SECOND = 1_000_000_000;

        static @Nullable Duration retryDelay(Metadata trailers) {
            byte[] details = trailers.get(DETAILS);
            if (details == null) {
                return null;
            }
            try {
                for (Any detail : com.google.rpc.Status.parseFrom(details).getDetailsList()) {
                    if (detail.isSameTypeAs(TYPE)) {
                        return retryDelay(detail.unpackSameTypeAs(TYPE));
                    }
                }
            } catch (InvalidProtocolBufferException ex) {
                // Another program has written this value, so it requests nothing.
            }
            return null;
        }

        private static @Nullable Duration retryDelay(RetryInfo info) {
            long seconds = info.getRetryDelay().getSeconds();
            int nanos = info.getRetryDelay().getNanos();
            return !info.hasRetryDelay() || seconds < 0 || nanos < 0 || nanos >= NANOS_PER_SECOND
                    ? null
                    : Duration.ofSeconds(seconds, nanos);
        }
    }
}
