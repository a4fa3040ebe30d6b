// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExhaustionAction;
import dev.retryon.durable.Durable;
import dev.retryon.durable.DurableMode;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetriedMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.autoconfigure.RefreshAutoConfiguration;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Properties of durable methods that Spring Cloud reads again. */
@ExtendWith(OutputCaptureExtension.class)
class ChangedDurablePropertiesTests {

    private static final String SEND = "retryon.methods[" + Mails.class.getName() + "#send].";

    @TempDir
    private Path folder;

    private @Nullable ConfigurableApplicationContext context;

    private final CapturedOutput output;

    ChangedDurablePropertiesTests(CapturedOutput output) {
        this.output = output;
    }

    @AfterEach
    void close() {
        if (context != null) {
            context.close();
        }
    }

    private void start(String... lines) throws IOException {
        write(lines);
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        context = application.run("--spring.config.location=" + file().toUri());
    }

    private Path file() {
        return folder.resolve("application.properties");
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file(), """
                retryon.policies.calm.max-attempts=4
                retryon.policies.hasty.max-attempts=2
                retryon.durable.lanes.sms.threads=1
                retryon.durable.lanes.fax.threads=1
                """ + String.join("\n", lines));
    }

    /** Returns the lines of the log about the change. */
    private List<String> refresh(String... lines) throws IOException {
        int before = output.getAll().length();
        write(lines);
        context().getBean(ContextRefresher.class).refresh();
        return output.getAll()
                .substring(before)
                .lines()
                .filter(line -> line.contains("dev.retryon"))
                .toList();
    }

    private ConfigurableApplicationContext context() {
        return Objects.requireNonNull(context);
    }

    private RetriedMethod method(String name) {
        return Applications.method(context(), Mails.class, name);
    }

    private EffectiveSettings settings(String name) {
        return method(name).settings();
    }

    @Test
    void theModeTheLaneAndTheKeyNeedARestart() throws IOException {
        start("retryon.defaults.durable.mode=on-failure", "retryon.defaults.durable.lane=sms");

        List<String> lines = refresh(
                "retryon.defaults.durable.mode=outbox",
                "retryon.defaults.durable.lane=fax",
                "retryon.defaults.durable.unique-key=#p0");

        assertSendIsUnchanged();
        assertNeedsRestart(lines);

        assertNeedsRestart(refresh());
        assertSendIsUnchanged();
    }

    private void assertSendIsUnchanged() {
        assertThat(settings("send").get(DurableGroup.MODE)).isEqualTo(DurableMode.ON_FAILURE);
        assertThat(settings("send").get(DurableGroup.LANE)).isEqualTo("sms");
        assertThat(settings("send").get(DurableGroup.UNIQUE_KEY)).isNull();
    }

    private static void assertNeedsRestart(List<String> lines) {
        assertThat(lines).singleElement().asString().contains("restart the application");
    }

    @Test
    void theDelayAndTheActionApplyAtOnce() throws IOException {
        start("retryon.defaults.durable.mode=outbox");

        refresh(
                "retryon.defaults.durable.mode=outbox",
                "retryon.defaults.durable.initial-delay=2h",
                "retryon.defaults.durable.when-failed=delete");

        assertThat(settings("send").get(DurableGroup.INITIAL_DELAY)).isEqualTo(Duration.ofHours(2));
        assertThat(method("send").policy().onExhaustion()).isEqualTo(ExhaustionAction.DISCARD);

        refresh("retryon.defaults.durable.mode=outbox");

        assertThat(settings("send").get(DurableGroup.INITIAL_DELAY)).isNull();
        assertThat(method("send").policy().onExhaustion()).isEqualTo(ExhaustionAction.RETHROW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"durable.uniqueKey", "durable.unique_key", "DURABLE.UNIQUE-KEY"})
    void aNameInAnotherFormNeedsARestartToo(String name) throws IOException {
        start("retryon.defaults.durable.mode=outbox");

        List<String> lines = refresh("retryon.defaults.durable.mode=outbox", "retryon.defaults." + name + "=#p0");

        assertThat(settings("send").get(DurableGroup.UNIQUE_KEY)).isNull();
        assertNeedsRestart(lines);
    }

    @Test
    void aMethodWhoseBlocksAreRemovedKeepsThem() throws IOException {
        start(
                SEND + "durable.mode=outbox",
                "retryon.policies.calm.durable.mode=outbox",
                "retryon.policies.jdbc-transient.durable.lane=fax");

        assertNeedsRestart(refresh());

        assertThat(settings("send").get(DurableGroup.MODE)).isEqualTo(DurableMode.OUTBOX);
        assertThat(settings("calm").get(DurableGroup.MODE)).isEqualTo(DurableMode.OUTBOX);
        assertThat(settings("builtIn").get(DurableGroup.LANE)).isEqualTo("fax");
    }

    @Test
    void aNewBlockChangesOnlyWhatNeedsNoRestart() throws IOException {
        start();

        assertNeedsRestart(refresh(SEND + "durable.mode=outbox"));
        refresh(SEND + "durable.mode=outbox", SEND + "max-attempts=7");

        assertThat(settings("send").get(DurableGroup.MODE)).isNull();
        assertThat(method("send").policy().maxAttempts()).isEqualTo(7);
    }

    @Test
    void aPlaceholderWithAnotherValueChangesOnlyWhatNeedsNoRestart() throws IOException {
        String[] durable = {"retryon.policies.calm.durable.mode=outbox", "retryon.policies.hasty.durable.lane=fax"};
        start(durable);

        refresh(durable[0], durable[1], "shop.lane=nowhere", "shop.policy=hasty");

        assertThat(settings("laneOfAPlaceholder").get(DurableGroup.LANE)).isEqualTo("sms");
        assertThat(settings("policyOfAPlaceholder").get(DurableGroup.MODE)).isEqualTo(DurableMode.OUTBOX);
        assertThat(settings("policyOfAPlaceholder").get(DurableGroup.LANE)).isNull();
        assertThat(method("policyOfAPlaceholder").policy().maxAttempts()).isEqualTo(2);
    }

    @RetryOn(IOException.class)
    @Durable
    static class Mails {

        public void send(String order) {}

        @RetryOn(policy = "calm")
        public void calm(String order) {}

        @RetryOn(policy = "jdbc-transient")
        public void builtIn(String order) {}

        @Durable(value = DurableMode.OUTBOX, lane = "${shop.lane:sms}")
        public void laneOfAPlaceholder(String order) {}

        @RetryOn(policy = "${shop.policy:calm}")
        public void policyOfAPlaceholder(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        PropertyPlaceholderAutoConfiguration.class,
        RefreshAutoConfiguration.class,
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryDurableCoreAutoConfiguration.class,
        RetryDurableAutoConfiguration.class
    })
    @Import(Mails.class)
    static class Application {}
}
