// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** An application that is stopped leaves nothing of this library behind on threads that outlive it. */
class ClassLoaderLeakTests {

    @Test
    void aThreadThatMadeCallsDoesNotPinTheClassLoader() throws Exception {
        WeakReference<ClassLoader> loader = makeCalls();

        for (int round = 0; round < 50 && loader.get() != null; round++) {
            System.gc();
        }

        assertThat(loader.get()).isNull();
    }

    /** Makes a call that succeeds and one that fails with a class of the JDK, with classes of a loader of their own. */
    private static WeakReference<ClassLoader> makeCalls() throws Exception {
        URL[] path = {
            Retry.class.getProtectionDomain().getCodeSource().getLocation(),
            NullMarked.class.getProtectionDomain().getCodeSource().getLocation()
        };
        try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = loader.loadClass("dev.retryon.Retry");
            assertThat(type).isNotSameAs(Retry.class);
            Class<?> policyType = loader.loadClass("dev.retryon.RetryPolicy");
            Object builder = policyType.getMethod("builder").invoke(null);
            builder.getClass().getMethod("retryOn", Class[].class).invoke(builder, (Object)
                    new Class<?>[] {IOException.class});
            builder.getClass().getMethod("backoff", String.class).invoke(builder, "none");
            Object policy = builder.getClass().getMethod("build").invoke(builder);
            Object retry = type.getMethod("of", String.class, policyType).invoke(null, "leak", policy);
            assertThat(call(loader, retry, null)).isEqualTo("up");
            assertThat(call(loader, retry, new IOException("down"))).isInstanceOf(IOException.class);
            assertThat(call(loader, retry, null)).isEqualTo("up");
            return new WeakReference<>(loader);
        }
    }

    private static Object call(ClassLoader loader, Object retry, IOException error) throws Exception {
        Class<?> callable = loader.loadClass("dev.retryon.RetryCallable");
        Object call = Proxy.newProxyInstance(loader, new Class<?>[] {callable}, (proxy, method, arguments) -> {
            if (error != null) {
                throw error;
            }
            return "up";
        });
        try {
            return retry.getClass().getMethod("call", callable).invoke(retry, call);
        } catch (InvocationTargetException ex) {
            return ex.getCause();
        }
    }
}
