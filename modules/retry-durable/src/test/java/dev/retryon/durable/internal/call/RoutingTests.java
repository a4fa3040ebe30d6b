// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.durable.RetryDataSource;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Data sources that choose a database for each thread. */
class RoutingTests {

    private static ApplicationContextRunner application(Class<?> dataSources) {
        return DurableTrial.inMemory()
                .withPropertyValues("retryon.jdbc.initialize-schema=always")
                .withUserConfiguration(dataSources)
                .withBean(Mails.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {Tenants.class, LazyTenants.class})
    void aDatabaseForEachTenantIsAFault(Class<?> dataSources) {
        application(dataSources)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("the DataSource bean is a " + ByTenant.class.getName())
                        .hasMessageContaining("Annotate a DataSource bean for one fixed database with @RetryDataSource")
                        .hasMessageContaining("or this bean if all its targets hold the same data"));
    }

    @ParameterizedTest
    @ValueSource(classes = {FixedStore.class, MarkedTenants.class, Replicas.class, OneTarget.class})
    void aDatabaseThatIsAlwaysTheSameIsNone(Class<?> dataSources) {
        application(dataSources).run(context -> {
            ByTenant.TENANT.set("t2");
            try {
                context.getBean(Mails.class).send("17");
            } finally {
                ByTenant.TENANT.remove();
            }

            await().until(() -> context.getBean(Mails.class).sent().size() == 1);
            await().until(() -> DurableTrial.stored(context) == 0);
        });
    }

    static class ByTenant extends AbstractRoutingDataSource {

        private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

        ByTenant(DataSource first, DataSource second) {
            setTargetDataSources(Map.of("t1", first, "t2", second));
            setDefaultTargetDataSource(first);
            afterPropertiesSet();
        }

        @Override
        protected Object determineCurrentLookupKey() {
            return TENANT.get();
        }
    }

    private static DataSource database(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
    }

    @Configuration(proxyBeanMethods = false)
    static class Tenants {

        @Bean
        DataSource tenants() {
            return new ByTenant(database("t1"), database("t2"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyTenants {

        @Bean
        DataSource tenants() {
            return new LazyConnectionDataSourceProxy(new ByTenant(database("t1"), database("t2")));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FixedStore {

        @Bean
        @Primary
        DataSource tenants() {
            return new ByTenant(database("t1"), database("t2"));
        }

        @Bean
        @RetryDataSource
        DataSource calls() {
            return database("calls");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedTenants {

        @Bean
        @RetryDataSource
        DataSource primaries() {
            DataSource same = database("same");
            return new ByTenant(same, new LazyConnectionDataSourceProxy(same));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Replicas {

        @Bean
        DataSource primaryAndReplica() {
            String url = "jdbc:h2:mem:shop" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
            HikariDataSource replica = new HikariDataSource();
            replica.setJdbcUrl(url);
            replica.setReadOnly(true);
            return new ByTenant(new DriverManagerDataSource(url), replica);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneTarget {

        @Bean
        DataSource tenants() {
            DataSource only = database("only");
            return new ByTenant(only, only);
        }
    }

    static class Mails {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        List<String> sent() {
            return sent;
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(String id) throws IOException {
            if (RetryContext.current().attempt() == 1) {
                throw new IOException("down");
            }
            sent.add(id);
        }
    }
}
