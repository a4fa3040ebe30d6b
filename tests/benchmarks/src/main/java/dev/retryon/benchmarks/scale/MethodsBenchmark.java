// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.scale;

import dev.retryon.benchmarks.beans.BeanSet;
import dev.retryon.benchmarks.beans.GeneratedApplication;
import dev.retryon.benchmarks.beans.GeneratedBeans;
import dev.retryon.benchmarks.beans.GeneratedCall;
import dev.retryon.benchmarks.call.Call;
import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.measure.RepeatedCall;
import java.util.List;
import java.util.Objects;
import net.bytebuddy.dynamic.loading.ByteArrayClassLoader;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.context.ConfigurableApplicationContext;

/** One call through a proxy, in an application with many retried methods. */
public class MethodsBenchmark extends RepeatedCall {

    @Benchmark
    public @Nullable Object call(Application application) {
        return Objects.requireNonNull(application.call).make();
    }

    /** The application and its call. */
    @State(Scope.Benchmark)
    public static class Application {

        /** The number of retried methods, ten in each bean. */
        @Param({"10", "1000", "10000"})
        public int contender;

        @Nullable Call call;

        private @Nullable ConfigurableApplicationContext context;

        /** Makes the classes, starts the application and checks the call. */
        @Setup
        public void start() {
            BeanSet set = BeanSet.RETRY_ON;
            GeneratedBeans beans = new GeneratedBeans(set, contender / GeneratedBeans.METHODS, GeneratedBeans.METHODS);
            ClassLoader loader = new ByteArrayClassLoader(getClass().getClassLoader(), beans.bytes());
            List<String> names = beans.names();
            context = GeneratedApplication.prepare(set, names, loader).run();
            GeneratedCall bean = GeneratedApplication.first(context, set, names);
            Probe probe = new Probe();
            call = new Call(Scenario.FAIL_TWICE, probe, () -> bean.call0(probe));
            call.check(set.name());
        }

        /** Ends it. */
        @TearDown
        public void close() {
            Objects.requireNonNull(context).close();
        }
    }
}
