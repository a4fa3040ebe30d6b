// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import jakarta.annotation.PostConstruct;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** The calls that each mode retries, in one and in several applications, and the faults at start-up. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class ModesTests {

    @Test
    void wovenMethodsRunWithoutRetriesInProxyMode() throws IOException {
        try (ConfigurableApplicationContext context =
                AspectsModule.run("proxy", Proxied.class).start()) {
            Proxied bean = context.getBean(Proxied.class);

            assertThatExceptionOfType(IOException.class).isThrownBy(() -> bean.load("never through the proxy"));
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> bean.callsLoad("self"));

            assertThat(Proxied.PARTNER.attempts("never through the proxy")).isEqualTo(3);
            assertThat(Proxied.PARTNER.attempts("self")).isEqualTo(1);
        }
    }

    @Test
    void everySpellingOfTheModeWorks() throws IOException {
        try (ConfigurableApplicationContext context =
                AspectsModule.run("Aspect-J", Shop.class).start()) {
            assertThat(context.getBean(Shop.class).visible()).isEqualTo("public at 3");
        }
    }

    @Test
    void anApplicationWithoutWovenMethodsDoesNotStart(CapturedOutput output) {
        String printed = AspectsModule.run("aspectj", NotWovenClient.class).failure(output);

        assertThat(printed)
                .contains("retryon.mode", "is 'aspectj', but AspectJ has woven none of the retried methods")
                .contains("dev.retryon.aspects.NotWovenClient.load", "-javaagent:aspectjweaver.jar");
    }

    @Test
    void aMethodThatIsWovenOnlyForAnotherAspectIsNotWoven(CapturedOutput output) {
        assertThat(AspectsModule.run("aspectj", NotWovenAudit.class).failure(output))
                .contains("AspectJ has woven none of the retried methods (dev.retryon.aspects.NotWovenAudit.load)");

        AspectsModule.start(Shop.class, NotWovenAudit.class).close();
        assertThat(output)
                .containsOnlyOnce("RETRYON-W15: AspectJ has not woven dev.retryon.aspects.NotWovenAudit.load, so");
    }

    @Test
    void aLazyBeanThatIsKnownByItsInterfaceIsNoFault(CapturedOutput output) throws IOException {
        try (ConfigurableApplicationContext context = AspectsModule.start(Later.class)) {
            assertThat(output).doesNotContain("RETRYON-W");
            assertThat(context.getBean(Client.class).load()).isEqualTo("lazy at 3");
        }
    }

    @Test
    void aPointcutOfThePropertiesIsAWarning(CapturedOutput output) {
        AspectsModule.run("aspectj", Plain.class)
                .start(
                        "--retryon.policies.plain.exceptions=java.io.IOException",
                        "--retryon.pointcuts.plain.expression=execution(* dev.retryon.aspects.ModesTests.Plain.load())")
                .close();

        assertThat(output)
                .containsOnlyOnce("RETRYON-W15: AspectJ has not woven dev.retryon.aspects.ModesTests$Plain.load, so");
    }

    @Test
    void aSingleMethodThatIsNotWovenIsAWarning(CapturedOutput output) {
        try (ConfigurableApplicationContext context = AspectsModule.start(Shop.class, NotWovenClient.class)) {
            assertThat(output)
                    .containsOnlyOnce("RETRYON-W15: AspectJ has not woven dev.retryon.aspects.NotWovenClient.load, so"
                            + " retryon.mode=aspectj does not retry it");
            NotWovenClient client = context.getBean(NotWovenClient.class);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.load("never"));
            assertThat(client.partner.attempts("never")).isEqualTo(1);
        }
    }

    @Test
    void aCorrectApplicationHasNoWarning(CapturedOutput output) {
        AspectsModule.start(Shop.class, Early.class).close();

        assertThat(output).doesNotContain("RETRYON-W").doesNotContain("WARN");
    }

    @Test
    void methodsAreRetriedWhileBeansAreCreated() {
        try (ConfigurableApplicationContext context = AspectsModule.start(Early.class)) {
            assertThat(context.getBean(Early.class).loaded).isEqualTo("early at 3");
        }
    }

    @Test
    void theContextThatHasTheBeanRetriesItsMethods() {
        try (ConfigurableApplicationContext context =
                        AspectsModule.run("aspectj", Shop.class).start("--retryon.defaults.max-attempts=4");
                ConfigurableApplicationContext later =
                        AspectsModule.run("aspectj", Early.class).start("--retryon.defaults.max-attempts=5")) {
            Shop shop = context.getBean(Shop.class);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.audited("never"));
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> new Other(shop.partner).load("never without a bean"));

            assertThat(shop.partner.attempts("never!")).isEqualTo(4);
            assertThat(shop.partner.attempts("never without a bean")).isEqualTo(5);

            later.close();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> new Other(shop.partner).load("never after the other one"));
            assertThat(shop.partner.attempts("never after the other one")).isEqualTo(4);
        }
    }

    @Test
    void aContextThatFailsToStartLeavesNothingBehind(CapturedOutput output) {
        AspectsModule.run("aspectj", Shop.class, NotWovenClient.class)
                .failure(output, "--retryon.methods[dev.retryon.aspects.Shop].delay=nonsense");

        Partner partner = new Partner();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> new Other(partner).load("never"));
        assertThat(partner.attempts("never")).isEqualTo(1);
    }

    @Test
    void aFaultOfAnObjectThatIsNoBeanEndsEachCall() {
        try (ConfigurableApplicationContext context = AspectsModule.start(Shop.class)) {
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(RetryConfigurationException.class)
                        .isThrownBy(new Faulty()::load)
                        .withMessageContaining("method 'nowhere' does not exist");
            }
        }
    }

    @Test
    void aBeanIsRetriedByItsOwnApplication() {
        try (ConfigurableApplicationContext one = failing(2);
                ConfigurableApplicationContext other = failing(4)) {
            assertThat(attempts(one)).isEqualTo(2);
            assertThat(attempts(other)).isEqualTo(4);
        }
    }

    private static ConfigurableApplicationContext failing(int maxAttempts) {
        return AspectsModule.run("aspectj", Failing.class).start("--retryon.defaults.max-attempts=" + maxAttempts);
    }

    private static int attempts(ConfigurableApplicationContext context) {
        Failing bean = context.getBean(Failing.class);
        assertThatExceptionOfType(IOException.class).isThrownBy(bean::load);
        return bean.attempts;
    }

    @Test
    void asynchronousMethodsNeedNoSecondThread() throws Exception {
        try (ConfigurableApplicationContext context = AspectsModule.start(OneThread.class, Background.class)) {
            Background bean = context.getBean(Background.class);

            assertThat(bean.load().get(30, TimeUnit.SECONDS)).isEqualTo("background at 3");
        }
    }

    static class Proxied {

        static final Partner PARTNER = new Partner();

        @RetryOn(IOException.class)
        String load(String name) throws IOException {
            return PARTNER.fetch(name);
        }

        String callsLoad(String name) throws IOException {
            return load(name);
        }
    }

    static class Early {

        private final Partner partner = new Partner();

        private String loaded;

        @PostConstruct
        void load() throws IOException {
            loaded = once();
        }

        @RetryOn(IOException.class)
        private String once() throws IOException {
            return partner.fetch("early");
        }
    }

    static class Plain {

        void load() {}
    }

    interface Client {

        @RetryOn(IOException.class)
        String load() throws IOException;
    }

    record WovenClient(Partner partner) implements Client {

        @Override
        @RetryOn
        public String load() throws IOException {
            return partner.fetch("lazy");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Later {

        @Bean
        @Lazy
        Client client() {
            return new WovenClient(new Partner());
        }
    }

    record Other(Partner partner) {

        @RetryOn(IOException.class)
        String load(String name) throws IOException {
            return partner.fetch(name);
        }
    }

    static class Faulty {

        @RetryOn(value = IOException.class, recover = "nowhere")
        void load() throws IOException {
            throw new IOException("not reached");
        }
    }

    static class Failing {

        private int attempts;

        @RetryOn(IOException.class)
        void load() throws IOException {
            attempts++;
            throw new IOException("each time");
        }
    }

    static class Background {

        private final Partner partner = new Partner();

        @Async
        @RetryOn(IOException.class)
        public CompletableFuture<String> load() {
            return CompletableFuture.supplyAsync(() -> {
                try {
                    return partner.fetch("background");
                } catch (IOException ex) {
                    throw new java.util.concurrent.CompletionException(ex);
                }
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class OneThread {

        /** For {@code @Async} and for later attempts. */
        @Bean({"taskExecutor", "retryOnTaskExecutor"})
        Executor threads() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setCorePoolSize(1);
            executor.setMaxPoolSize(1);
            return executor;
        }
    }
}
