// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import java.io.IOException;
import java.net.MalformedURLException;
import java.security.cert.CertificateException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.springframework.util.ClassUtils;

/** The failures to connect, send or receive. They are retried unless the next attempt would fail in the same way. */
final class ConnectionFailures {

    private static final String NETTY_TIMEOUT = "io.netty.handler.timeout.TimeoutException";

    private ConnectionFailures() {}

    @SuppressWarnings("unchecked")
    static RetryPolicy addTo(RetryPolicy policy) {
        RetryPolicyBuilder retrying = policy.toBuilder()
                .retryOn(IOException.class, TimeoutException.class)
                .excludes(CertificateException.class, SSLPeerUnverifiedException.class, MalformedURLException.class);
        ClassLoader classLoader = ConnectionFailures.class.getClassLoader();
        if (ClassUtils.isPresent(NETTY_TIMEOUT, classLoader)) {
            retrying.retryOn((Class<? extends Throwable>) ClassUtils.resolveClassName(NETTY_TIMEOUT, classLoader));
        }
        return retrying.build();
    }
}
