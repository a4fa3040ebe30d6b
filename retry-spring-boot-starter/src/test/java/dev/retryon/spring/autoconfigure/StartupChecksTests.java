// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What is a fault at start-up, what is a warning with a code, and how an operator changes that. */
@ExtendWith(OutputCaptureExtension.class)
class StartupChecksTests {

    private static final String HERE = StartupChecksTests.class.getName();

    private final CapturedOutput output;

    /** Boot's lazy beans, of which only an interface is known, are here too. */
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    TaskExecutionAutoConfiguration.class,
                    TaskSchedulingAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryTelemetryAutoConfiguration.class))
            .withBean(Shop.class);

    StartupChecksTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> warnings(String... properties) {
        application
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
        return output.getAll()
                .lines()
                .filter(line -> line.matches(".*WARN .*\\bdev\\.retryon.*"))
                .map(line -> line.replaceFirst("^.*? dev\\.retryon\\.startup +(:|-+) ", "")
                        .replace(HERE, "Here"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"reserveAll", "reserve(int)", "inStock"})
    void aKeyOfARetriedClassWithoutEffectIsAWarning(String method) {
        assertThat(warnings("retryon.methods[" + HERE + "$Shop#" + method + "].max-attempts=5"))
                .containsExactly("RETRYON-W03: retryon.methods[Here$Shop#" + method + "] matches no retried method;"
                        + " /actuator/retryon lists the retried methods of each class. Settings alone do not enable"
                        + " retries; add @RetryOn or a pointcut.");
    }

    @Test
    void aKeyOfAClassThatIsNotHereIsNoWarning() {
        assertThat(warnings("retryon.methods[" + HERE + "$Shopp].max-attempts=5"))
                .isEmpty();
        assertThat(output)
                .contains("retryon.methods has keys for classes that have no bean in this context: " + HERE + "$Shopp");
    }

    @Test
    void propertiesOfAnotherVersionAreOneWarning() {
        assertThat(warnings("retryon.hedging.enabled=true", "retryon.defaults.quota=5"))
                .containsExactly(
                        "RETRYON-W02: retryon.defaults.quota, retryon.hedging.enabled: this version of RetryOn ignores"
                                + " these unknown properties; correct or remove them");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "execution(* dev.retryon.spring.autoconfigure.StartupChecksTests.Shop.resrve(..))",
                "within(dev.retryon.spring.autoconfigure..*) && execution(* gone(..))"
            })
    void aMistypedPointcutIsAWarning(String expression) {
        assertThat(warnings(
                        "retryon.pointcuts.stock.expression=" + expression, "retryon.policies.stock.max-attempts=4"))
                .singleElement()
                .asString()
                .startsWith("RETRYON-W04: retryon.pointcuts.stock.expression is '" + expression.replace(HERE, "Here")
                        + "', which matches no method");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "execution(* dev.retryon.spring.autoconfigure.StartupChecksTests.Shp.*(..))",
                "@annotation(com.acme.Absent)",
                "within(dev.retryon.spring.autoconfigur..*)"
            })
    void aPointcutForTypesThatAreNotHereIsNoWarning(String expression) {
        assertThat(warnings(
                        "retryon.pointcuts.stock.expression=" + expression, "retryon.policies.stock.max-attempts=4"))
                .isEmpty();
        assertThat(output).contains("retryon.pointcuts.stock.expression is '" + expression + "', which matches no");
    }

    @Test
    void aLimitThatManyMethodsExceedIsOneWarning() {
        assertThat(warnings("retryon.limits.max-attempts=2"))
                .singleElement()
                .asString()
                .contains("is lowered to 2; lower it, or raise the limit" + " (logged once)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"W18", "RETRYON-W18", "w18, W03"})
    void aWarningIsSwitchedOffByItsCode(String codes) {
        assertThat(warnings("retryon.limits.max-attempts=2", "retryon.warnings.ignore=" + codes))
                .isEmpty();
    }

    @Test
    void faultsOfPropertiesAreWarningsIfTheOperatorWantsThat() {
        application
                .withPropertyValues(
                        "retryon.checks=warn",
                        "retryon.defaults.delay=soon",
                        "retryon.defaults.max-atempts=7",
                        "retryon.defaults.only-if=#nope",
                        "retryon.defaults.multiplier=3",
                        "retryon.methods[" + HERE + "$Shop#resrve].max-attempts=5")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    var settings = Applications.settings(context, Shop.class, "reserve");
                    assertThat(settings.get(Setting.DELAY)).hasSeconds(1);
                    assertThat(settings.get(Setting.MULTIPLIER)).isEqualTo(3);
                    Shop shop = context.getBean(Shop.class);
                    assertThat(Retries.with(call -> call.maxAttempts(1))
                                    .capture(() -> shop.reserve("order"))
                                    .succeeded())
                            .isTrue();
                });
        assertThat(output.getAll().lines().filter(line -> line.contains("RETRYON-W01: ")))
                .hasSize(4)
                .allMatch(line -> line.contains("(ignored, because retryon.checks is 'warn')"));
    }

    @Test
    void aPolicyWhoseOnlyPropertyIsIgnoredStillExists() {
        application
                .withBean(WithPolicy.class)
                .withPropertyValues("retryon.checks=warn", "retryon.policies.calm.max-attempts=many")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getAll().lines().filter(line -> line.contains("RETRYON-W01: ")))
                .singleElement()
                .asString()
                .contains("retryon.policies.calm.max-attempts");
    }

    @Test
    void aPointcutThatIsIgnoredDoesNotDisableOthers() {
        application
                .withPropertyValues(
                        "retryon.checks=warn",
                        "retryon.pointcuts.bad=text",
                        "retryon.pointcuts.stock.expression=execution(* " + HERE + ".Shop.inStock(..))",
                        "retryon.policies.stock.max-attempts=4",
                        "retryon.policies.stock.exceptions=java.io.IOException")
                .run(context -> assertThat(Applications.settings(context, Shop.class, "inStock")
                                .get(Setting.MAX_ATTEMPTS))
                        .isEqualTo(4));
        assertThat(output.getAll().lines().filter(line -> line.contains("RETRYON-W01: ")))
                .singleElement()
                .asString()
                .contains("retryon.pointcuts.bad");
    }

    @Test
    void faultsOfCodeEndTheStartEvenThen() {
        application
                .withBean(Faulty.class)
                .withPropertyValues("retryon.checks=warn")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void namesThatNoAddressCanHaveAreFaults() {
        application
                .withBean(Named.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                RetryConfigurationException.class,
                                wrong -> assertThat(wrong.faults())
                                        .hasSize(3)
                                        .allMatch(fault -> fault.problem().contains("must not be blank"))));
    }

    @ParameterizedTest
    @EnumSource
    void everyWarningIsExplained(RetryWarning warning) throws IOException {
        Path guide = Path.of("docs/troubleshooting.md");
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve(guide))) {
            root = root.getParent();
        }
        assertThat(Files.readString(root.resolve(guide))).contains("| `" + warning.code() + "` |");
    }

    static class Shop {

        @RetryOn(value = IOException.class, maxAttempts = 5)
        public String reserve(String order) {
            return order;
        }

        @RetryOn(value = IOException.class, maxAttempts = 6)
        public void release(String order) {}

        public void inStock() {}
    }

    static class Named {

        @RetryOn(value = IOException.class, name = " ")
        public void blank() {}

        @RetryOn(value = IOException.class, name = "payments/charge")
        public void slash() {}

        @RetryOn(value = IOException.class, name = "payments\ncharge")
        public void lineBreak() {}
    }

    static class Faulty {

        @RetryOn(value = IOException.class, onlyIf = "#nope")
        public void charge() {}
    }

    static class WithPolicy {

        @RetryOn(value = IOException.class, policy = "calm")
        public void call() {}
    }
}
