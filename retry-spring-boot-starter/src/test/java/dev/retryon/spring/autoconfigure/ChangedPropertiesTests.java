// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RuntimeChange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.autoconfigure.RefreshAutoConfiguration;
import org.springframework.cloud.context.refresh.ContextRefresher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;

/** Properties in a file that changes, read again by Spring Cloud. */
@ExtendWith(OutputCaptureExtension.class)
class ChangedPropertiesTests {

    private static final String START = """
        retryon.defaults.exceptions=java.io.IOException
        retryon.defaults.delay=0s
        retryon.policies.calm.max-attempts=4
        retryon.budgets.narrow.ratio=0.1
        spring.main.banner-mode=off
        """;

    @TempDir
    private Path folder;

    private ConfigurableApplicationContext context;

    private Shop shop;

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
        shop = context.getBean(Shop.class);
    }

    private Path file() {
        return folder.resolve("application.properties");
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file(), START + String.join("\n", lines));
    }

    private void refresh(String... lines) throws IOException {
        write(lines);
        context.getBean(ContextRefresher.class).refresh();
    }

    private int attemptsOfBuy() {
        int before = shop.attempts();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.buy());
        return shop.attempts() - before;
    }

    private int attemptsOfPay() {
        int before = shop.attempts();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.pay());
        return shop.attempts() - before;
    }

    private RetryPolicy policy(String name) {
        return context.getBean(NamedRetries.class).methods(name).get(0).policy();
    }

    @Test
    void defaultsPoliciesAndMethodsAreTakenOver(CapturedOutput output) throws IOException {
        start();
        assertThat(attemptsOfBuy()).isEqualTo(3);
        assertThat(attemptsOfPay()).isEqualTo(4);

        refresh("retryon.defaults.max-attempts=2", "retryon.policies.calm.max-attempts=5");
        assertThat(attemptsOfBuy()).isEqualTo(2);
        assertThat(attemptsOfPay()).isEqualTo(5);
        assertThat(output)
                .contains("properties applied: retryon.defaults.max-attempts, retryon.policies.calm.max-attempts")
                .doesNotContain("restart the application to apply them");
        assertThat(context.getBean(Events.class).seen)
                .singleElement()
                .satisfies(event -> assertThat(event.description()).contains("retryon.policies.calm"));

        refresh("retryon.methods[" + Shop.class.getName() + "#buy].max-attempts=6");
        assertThat(attemptsOfBuy()).isEqualTo(6);
        assertThat(attemptsOfPay()).isEqualTo(4);

        // What is not there any more holds no more.
        refresh();
        assertThat(attemptsOfBuy()).isEqualTo(3);
    }

    @Test
    void aBeanThatIsMadeLaterFollowsToo() throws IOException {
        start();
        refresh("retryon.defaults.max-attempts=2");

        Late late = context.getBean(Late.class);

        assertThatExceptionOfType(IOException.class).isThrownBy(late::go);
        assertThat(late.attempts()).isEqualTo(2);
    }

    @Test
    void anOperatorIsStillStronger() throws IOException {
        start();
        RuntimeSettings settings = context.getBean(RuntimeSettings.class);
        settings.change(
                new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false),
                Map.of("maxAttempts", "1"),
                null,
                "alice");

        refresh("retryon.defaults.max-attempts=2", "retryon.defaults.delay=1ms");

        assertThat(attemptsOfBuy()).isEqualTo(1);
        assertThat(policy("Shop.buy").delay()).isEqualTo(Duration.ofMillis(1));
        settings.takeBack(new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false), "alice");
        assertThat(attemptsOfBuy()).isEqualTo(2);
    }

    @Test
    void budgetsThatAreInUseChangeAndNewOnesCanBeNamed() throws IOException {
        start("retryon.policies.calm.budget=narrow");
        var narrow = policy("Shop.pay").budget();

        refresh(
                "retryon.policies.calm.budget=narrow",
                "retryon.budgets.narrow.ratio=0.5",
                "retryon.budgets.wide.ratio=1",
                "retryon.defaults.budget=wide");

        assertThat(narrow.ratio()).isEqualTo(0.5);
        assertThat(policy("Shop.pay").budget()).isSameAs(narrow);
        assertThat(policy("Shop.buy").budget().ratio()).isEqualTo(1);
    }

    @Test
    void whatIsWrongIsSaidAndNothingChanges(CapturedOutput output) throws IOException {
        start("retryon.policies.calm.budget=narrow");

        refused(output, "retryon.defaults.delay: is 'soon', but must be a duration", "retryon.defaults.delay=soon");
        refused(output, "max-attempts: maxAttempts is '-1', but must be", "retryon.policies.calm.max-attempts=-1");
        refused(output, "is not a property", "retryon.defaults.max-atempts=1");
        refused(
                output,
                "must be 'default' or one of the budgets under retryon.budgets",
                "retryon.defaults.budget=none");
        refused(output, "names the unknown variable #nope", "retryon.defaults.only-if=#nope");
        refused(output, "is not the full name of a class", "retryon.methods[Nobody].delay=1s");
        refused(output, "must not be below delay", "retryon.defaults.delay=2s", "retryon.defaults.max-delay=1s");
        Files.writeString(file(), "retryon.defaults.exceptions=java.io.IOException\nretryon.defaults.max-attempts=2");
        context.getBean(ContextRefresher.class).refresh();
        assertThat(output)
                .contains("policy is 'calm', but no policy has this name")
                .contains("retryon.budgets.narrow: was removed, but calls still use this budget; restore it");
        assertThat(attemptsOfBuy()).isEqualTo(3);
        assertThat(context.getBean(ExtensionErrors.class)
                        .count(ExtensionErrorListener.Kind.CONFIGURATION, ExtensionErrors.ANY))
                .isEqualTo(8);

        refresh("retryon.defaults.max-attempts=2");
        assertThat(attemptsOfBuy()).isEqualTo(2);
    }

    /** One value is wrong; the others are not taken over either. */
    private void refused(CapturedOutput output, String problem, String... lines) throws IOException {
        int before = output.getAll().length();
        String[] all = new String[lines.length + 2];
        all[0] = "retryon.policies.calm.budget=narrow";
        all[1] = "retryon.defaults.max-attempts=2";
        System.arraycopy(lines, 0, all, 2, lines.length);
        refresh(all);
        assertThat(output.getAll().substring(before))
                .contains("the changed properties were rejected")
                .contains(problem);
        assertThat(attemptsOfBuy()).as(problem).isEqualTo(3);
        assertThat(attemptsOfPay()).as(problem).isEqualTo(4);
    }

    @Test
    void whatCannotChangeSaysSo(CapturedOutput output) throws IOException {
        start();

        refresh("retryon.defaults.max-attempts=2", "retryon.limits.max-attempts=1", "retryon.log.interval=5s");

        assertThat(output)
                .contains("properties retryon.limits.max-attempts, retryon.log.interval"
                        + " have changed; restart the application to apply them");
        assertThat(attemptsOfBuy()).isEqualTo(2);
    }

    @Test
    void onePropertyThatCannotChangeSaysSo(CapturedOutput output) throws IOException {
        start();

        refresh("retryon.checks=warn");

        assertThat(output).contains("property retryon.checks has changed; restart the application to apply it");
    }

    @Test
    void aRetryOfTheRegistryFollowsItsPolicyAndTheDefaults() throws IOException {
        start("retryon.policies.calm.max-attempts=2");
        Retry calm = context.getBean(RetryRegistry.class).retry("calm");

        refresh("retryon.policies.calm.max-attempts=4", "retryon.defaults.delay=7s");

        assertThat(calm.policy().maxAttempts()).isEqualTo(4);
        assertThat(calm.policy().delay()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void valuesOfPlaceholdersAreTakenOver(CapturedOutput output) throws IOException {
        start("retryon.defaults.max-attempts=${shop.attempts}", "shop.attempts=2");

        refresh("retryon.defaults.max-attempts=${shop.attempts}", "shop.attempts=4");

        assertThat(attemptsOfBuy()).isEqualTo(4);
        assertThat(output).contains("properties applied with other placeholders");
    }

    @Test
    void propertiesOfOthersChangeNothing(CapturedOutput output) throws IOException {
        start();
        RetryPolicy before = policy("Shop.buy");

        refresh("com.acme.colour=blue");

        assertThat(policy("Shop.buy")).isSameAs(before);
        assertThat(output).doesNotContain("properties applied");
    }

    static class Shop {

        private int attempts;

        public int attempts() {
            return attempts;
        }

        @RetryOn
        public void buy() throws IOException {
            attempts++;
            throw new IOException("down");
        }

        @RetryOn(policy = "calm")
        public void pay() throws IOException {
            attempts++;
            throw new IOException("down");
        }
    }

    static class Late {

        private int attempts;

        public int attempts() {
            return attempts;
        }

        @RetryOn
        public void go() throws IOException {
            attempts++;
            throw new IOException("down");
        }
    }

    static class Events {

        private final List<RetrySettingsChanged> seen = new CopyOnWriteArrayList<>();

        @EventListener
        void changed(RetrySettingsChanged event) {
            seen.add(Objects.requireNonNull(event));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        PropertyPlaceholderAutoConfiguration.class,
        RefreshAutoConfiguration.class,
        RetryAutoConfiguration.class
    })
    @Import({Shop.class, Events.class})
    static class Application {

        @Bean
        @Lazy
        Late late() {
            return new Late();
        }
    }
}
