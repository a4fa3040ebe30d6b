// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.benchmarks.call.Probe;
import java.util.List;
import net.bytebuddy.dynamic.loading.ByteArrayClassLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.Advised;
import org.springframework.context.ConfigurableApplicationContext;

class GeneratedApplicationTests {

    @ParameterizedTest
    @EnumSource
    void advisesItsBeansOnceAndRetries(BeanSet set) {
        GeneratedBeans beans = new GeneratedBeans(set, 2, 1);
        ClassLoader loader = new ByteArrayClassLoader(getClass().getClassLoader(), beans.bytes());
        List<String> names = beans.names();
        try (ConfigurableApplicationContext context =
                GeneratedApplication.prepare(set, names, loader).run()) {
            GeneratedCall bean = GeneratedApplication.first(context, set, names);
            assertThat(bean instanceof Advised).isEqualTo(set.isAdvised());
            if (bean instanceof Advised advised) {
                assertThat(advised.getAdvisors())
                        .filteredOn(this::isNotSpringsOwn)
                        .hasSize(1);
            }
            if (set.isAdvised() && set != BeanSet.EMPTY) {
                Probe probe = new Probe();
                assertThat(bean.call0(probe.begin(2))).isSameAs(probe);
                assertThat(probe.attempts()).isEqualTo(3);
            }
        }
    }

    private boolean isNotSpringsOwn(Object advisor) {
        return !advisor.getClass().getName().startsWith("org.springframework.aop.interceptor");
    }

    @Test
    void libraryFilesAreAdmittedWhereTheyAreUsed() {
        assertThat(BeanSet.NONE.admits("spring-retry-2.0.12.jar")).isFalse();
        assertThat(BeanSet.NONE.admits("retry-core-1.jar")).isFalse();
        assertThat(BeanSet.NONE.admits("spring-core-7.jar")).isTrue();
        assertThat(BeanSet.RETRY_ON.admits("retry-core-1.jar")).isTrue();
        assertThat(BeanSet.RETRY_ON.admits("resilience4j-core-2.jar")).isFalse();
    }
}
