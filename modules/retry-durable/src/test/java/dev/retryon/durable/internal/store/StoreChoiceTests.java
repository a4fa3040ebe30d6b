// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.RetryDataSource;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Which database calls are kept in, and its tables. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("database")
class StoreChoiceTests {

    @TempDir
    private Path folder;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    RetryDurableCoreAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceInitializationAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class));

    private static RetryStore store(ApplicationContext context) {
        return context.getBean(StoreChoice.class).get();
    }

    private static void assertFault(ApplicationContext context, String text) {
        assertThatThrownBy(() -> store(context))
                .isInstanceOf(RetryConfigurationException.class)
                .hasMessage("Invalid retry configuration:\n- " + text);
    }

    private static long tables(DataSource dataSource) {
        return JdbcClient.create(dataSource)
                .sql("select count(*) from information_schema.tables where lower(table_name) like 'retryon%'")
                .query(Long.class)
                .single();
    }

    @Test
    void isTheOnlyDataSource(CapturedOutput output) {
        application.run(context -> {
            RetryStore store = store(context);

            assertThat(store.dataSource()).isSameAs(context.getBean(DataSource.class));
            assertThat(store.database()).isEqualTo(Database.H2);
            assertThat(store.isOwn()).isFalse();
            assertThat(tables(store.dataSource())).isEqualTo(5);
            assertThat(output).contains("Calls are stored in jdbc:h2:mem:").contains("which is volatile");
        });
    }

    @Test
    void hasNoTablesBeforeItIsNeeded() {
        application.run(
                context -> assertThat(tables(context.getBean(DataSource.class))).isZero());
    }

    /** One thread makes a bean that asks for the store, while another one has asked for it and needs beans to choose. */
    @Test
    void isChosenWhileOtherThreadsMakeBeans() {
        application
                .withBean(LazyInitializationBeanFactoryPostProcessor.class)
                .withUserConfiguration(AsksForTheStore.class)
                .run(context -> {
                    StoreChoice choice = context.getBean(StoreChoice.class);
                    ExecutorService threads = Executors.newFixedThreadPool(2, task -> {
                        Thread thread = new Thread(task);
                        thread.setDaemon(true); // a deadlock fails the test, and does not hold it up
                        return thread;
                    });
                    Future<RetryStore> first = threads.submit(() -> context.getBean(AsksForTheStore.class).store);
                    AsksForTheStore.MAKING.await();
                    Thread[] asking = new Thread[1];
                    CountDownLatch asks = new CountDownLatch(1);
                    Future<RetryStore> second = threads.submit(() -> {
                        asking[0] = Thread.currentThread();
                        asks.countDown();
                        return choice.get();
                    });
                    asks.await();
                    Awaitility.await()
                            .until(() -> asking[0].getState() == Thread.State.WAITING
                                    || asking[0].getState() == Thread.State.BLOCKED);
                    AsksForTheStore.GO_ON.countDown();

                    assertThat(second.get(30, TimeUnit.SECONDS)).isSameAs(first.get(30, TimeUnit.SECONDS));
                    threads.shutdown();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class AsksForTheStore {

        static final CountDownLatch MAKING = new CountDownLatch(1);

        static final CountDownLatch GO_ON = new CountDownLatch(1);

        final RetryStore store;

        AsksForTheStore(StoreChoice choice) throws InterruptedException {
            MAKING.countDown();
            GO_ON.await();
            store = choice.get();
        }
    }

    @Test
    void isTheDataSourceThatIsMarked() {
        application
                .withUserConfiguration(TwoDataSources.class)
                .run(context -> assertThat(store(context).dataSource()).isSameAs(context.getBean("calls")));
    }

    @Test
    void severalDataSourcesAreAFault() {
        application
                .withUserConfiguration(TwoUnmarkedDataSources.class)
                .run(context -> assertFault(
                        context,
                        "retryon.durable.store: is 'auto', but there are 2 DataSource beans (calls, main); annotate"
                                + " the one that stores calls with @RetryDataSource"));
    }

    @Test
    void noDataSourceIsAFault() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class))
                .run(context -> assertFault(
                        context,
                        "retryon.durable.store: is 'auto', but the application has no DataSource bean to store calls"
                                + " in; configure one, or set the property to 'embedded' to store them"
                                + " in a separate file"));
    }

    @Test
    void aMissingTableIsAFaultThatNamesTheScriptAndTheProperty() {
        application
                .withPropertyValues("retryon.jdbc.initialize-schema=never")
                .run(context -> assertThatThrownBy(() -> store(context))
                        .isInstanceOf(RetryConfigurationException.class)
                        .hasMessageContaining("retryon.jdbc.initialize-schema: is 'never', but table 'retryon_")
                        .hasMessageContaining(
                                "run classpath:dev/retryon/durable/store/schema-h2.sql with Flyway, Liquibase or"
                                        + " manually, or set the property to 'always'"));
    }

    @Test
    void aColumnThatIsMissingIsAFaultToo() {
        application
                .withPropertyValues("retryon.jdbc.initialize-schema=never")
                .withBean("older", OlderTables.class)
                .run(context -> assertThatThrownBy(() -> store(context))
                        .hasMessageContaining("table 'retryon_call' cannot be read"));
    }

    @Test
    void tablesMayBeMadeByTheApplicationsScripts() {
        application
                .withUserConfiguration(EarlyCaller.class)
                .withPropertyValues(
                        "retryon.jdbc.initialize-schema=never",
                        "spring.sql.init.schema-locations=classpath:dev/retryon/durable/store/schema-h2.sql")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theUrlThatIsLoggedHasNoPassword(CapturedOutput output) {
        application
                .withPropertyValues(
                        "spring.datasource.url=" + TestPostgres.database() + "&password=secret",
                        "retryon.jdbc.initialize-schema=always")
                .run(context -> {
                    store(context);
                    assertThat(output)
                            .contains("Calls are stored in PostgreSQL at jdbc:postgresql://localhost:")
                            .doesNotContain("secret");
                });
    }

    @Test
    void anH2FileGetsTablesOnlyIfAskedAndAWarning(CapturedOutput output) {
        ApplicationContextRunner file =
                application.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + folder.resolve("calls"));

        file.run(context ->
                assertThatThrownBy(() -> store(context)).hasMessageContaining("is 'embedded', but table 'retryon_"));
        file.withPropertyValues("retryon.jdbc.initialize-schema=always").run(context -> {
            assertThat(tables(store(context).dataSource())).isEqualTo(5);
            assertThat(output)
                    .contains("an H2 file. H2 can report a write as complete up to 500 ms before it is in the file");
        });
        // As they are, whoever has made them.
        file.withPropertyValues("retryon.jdbc.initialize-schema=never")
                .run(context -> assertThat(store(context)).isNotNull());
    }

    @Test
    void theEmbeddedStoreIsAnSqliteFileWhoseWritesOutliveTheProcess() {
        Path file = folder.resolve("data/calls.db");
        application
                .withPropertyValues("retryon.durable.store=embedded", "retryon.durable.path=" + file)
                .run(context -> {
                    RetryStore store = store(context);
                    JdbcTemplate jdbc = new JdbcTemplate(store.dataSource());

                    assertThat(store.isOwn()).isTrue();
                    assertThat(store.joinsCallers()).isFalse();
                    assertThat(store.database()).isEqualTo(Database.SQLITE);
                    assertThat(file).exists();
                    assertThat(jdbc.queryForObject("pragma journal_mode", String.class))
                            .isEqualTo("wal");
                    assertThat(jdbc.queryForObject("pragma synchronous", Integer.class))
                            .isEqualTo(1);
                    assertThat(((HikariDataSource) store.dataSource()).getMaximumPoolSize())
                            .isOne();
                });
    }

    @Test
    void theEmbeddedStoreTakesTheApplicationsDataSourceFromNobody() {
        application
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"))
                .withBean(Injected.class)
                .run(context -> {
                    DataSource applications = context.getBean(Injected.class).dataSource;

                    assertThat(store(context).dataSource()).isNotSameAs(applications);
                    assertThat(applications).isSameAs(context.getBean("dataSource"));
                    assertThat(tables(applications)).isZero();
                });
    }

    @Test
    void theEmbeddedStoreWithoutItsDriverIsAFault() {
        application
                .withPropertyValues("retryon.durable.store=embedded")
                .withClassLoader(new FilteredClassLoader("org.sqlite"))
                .run(context -> assertFault(
                        context,
                        "retryon.durable.store: is 'embedded', but a dependency is missing; add org.xerial:sqlite-jdbc"
                                + " and com.zaxxer:HikariCP"));
    }

    @Test
    void anEmbeddedStoreBesideAMarkedDataSourceIsAFault() {
        application
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"))
                .withUserConfiguration(TwoDataSources.class)
                .run(context -> assertFault(
                        context,
                        "retryon.durable.store: is 'embedded', but 2 DataSource beans have @RetryDataSource, including"
                                + " the file that 'embedded' creates; keep the annotation on one of them"));
    }

    @Test
    void aFileThatCannotBeMadeIsAFault() {
        application
                .withPropertyValues("retryon.durable.store=embedded", "retryon.durable.path=/dev/null/calls.db")
                .run(context ->
                        assertThatThrownBy(() -> store(context)).rootCause().hasMessageContaining("/dev/null"));
    }

    @Test
    void aDatabaseThatCannotBeReachedIsLookedAtAgain() {
        application
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:tcp://localhost:1/gone",
                        "spring.datasource.hikari.connection-timeout=250")
                .run(context -> {
                    assertThatThrownBy(() -> store(context)).isInstanceOf(DataAccessException.class);
                    assertThatThrownBy(() -> store(context)).isInstanceOf(DataAccessException.class);
                });
    }

    @Test
    void writesAreNotRolledBackWithTheCaller() {
        application.run(context -> {
            RetryStore store = store(context);
            TransactionTemplate caller = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            store.jdbc().sql("create table written (place varchar(10))").update();

            caller.executeWithoutResult(status -> {
                store.write(() -> store.write(() -> insert(store, "apart")));
                store.joinSingle(() -> insert(store, "joined"), false);
                status.setRollbackOnly();
            });

            assertThat(store.joinsCallers()).isTrue();
            assertThat(store.jdbc()
                            .sql("select place from written")
                            .query(String.class)
                            .list())
                    .containsExactly("apart");
        });
    }

    @Test
    void aWriteThatFailsIsRolledBackAsAWhole() {
        application.run(context -> {
            RetryStore store = store(context);
            store.jdbc().sql("create table written (place varchar(10))").update();

            assertThatThrownBy(() -> store.write(() -> {
                        store.write(() -> insert(store, "inner"));
                        throw new IllegalStateException("outer");
                    }))
                    .hasMessage("outer");

            assertThat(store.jdbc()
                            .sql("select count(*) from written")
                            .query(Long.class)
                            .single())
                    .isZero();
        });
    }

    @Test
    void transactionsOfAnotherDatabaseAreNotJoined() {
        application
                .withUserConfiguration(TwoDataSources.class, TransactionsOfMain.class)
                .run(context -> {
                    assertThat(store(context).joinsCallers()).isFalse();
                });
    }

    private static int insert(RetryStore store, String place) {
        return store.jdbc().sql("insert into written values (?)").param(place).update();
    }

    static class Injected {

        private final DataSource dataSource;

        Injected(DataSource dataSource) {
            this.dataSource = dataSource;
        }
    }

    static class OlderTables {

        OlderTables(DataSource dataSource) {
            new JdbcTemplate(dataSource).execute("create table retryon_call (task_name varchar(100))");
        }
    }

    private static DataSource inMemory(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoUnmarkedDataSources {

        @Bean
        DataSource main() {
            return inMemory("main");
        }

        @Bean
        DataSource calls() {
            return inMemory("calls");
        }
    }

    /** Needs the tables before the beans of auto-configurations are there. */
    @Configuration(proxyBeanMethods = false)
    static class EarlyCaller {

        @Bean
        Object caller(CallStore store) {
            return store.list(StoredCalls.Filter.ALL, null, 1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {

        @Bean
        DataSource main() {
            return inMemory("main");
        }

        @Bean
        @RetryDataSource
        DataSource calls() {
            return inMemory("calls");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TransactionsOfMain {

        @Bean
        JdbcTransactionManager transactionManager(@Qualifier("main") DataSource main) {
            return new JdbcTransactionManager(main);
        }
    }
}
