// SPDX-License-Identifier: Apache-2.0
package com.acme.correct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import com.acme.correct.Beans.Accounts;
import com.acme.correct.Beans.Bare;
import com.acme.correct.Beans.Callback;
import com.acme.correct.Beans.CardPayment;
import com.acme.correct.Beans.ConditionalPayments;
import com.acme.correct.Beans.FinalPrices;
import com.acme.correct.Beans.GenericPayments;
import com.acme.correct.Beans.HiddenPrices;
import com.acme.correct.Beans.KeptForLater;
import com.acme.correct.Beans.LoudPayments;
import com.acme.correct.Beans.OfProfile;
import com.acme.correct.Beans.Payments;
import com.acme.correct.Beans.Plain;
import com.acme.correct.Beans.Prices;
import com.acme.correct.Beans.ScannedSettings;
import com.acme.correct.Beans.Signalling;
import com.acme.correct.Beans.Subclasses;
import com.acme.correct.Beans.ValuesAndErrors;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.http.autoconfigure.RetryHttpAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.AopTestUtils;

/** Applications that are unusual and right: each of them starts, and nothing warns of it. */
@ExtendWith(OutputCaptureExtension.class)
class CorrectApplicationsTests {

    private static final String HERE = "com.acme.correct.Beans$";

    private final CapturedOutput output;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    RestClientAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableCoreAutoConfiguration.class,
                    RetryHttpAutoConfiguration.class,
                    RetryTelemetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none");

    CorrectApplicationsTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> warnings() {
        return output.getAll()
                .lines()
                .filter(line -> line.matches(".*(WARN|ERROR) .*\\bdev\\.retryon.*"))
                .toList();
    }

    /** Behind the proxy, which has the methods of the bean and not its fields. */
    private static <T> T target(T bean) {
        return AopTestUtils.getUltimateTargetObject(bean);
    }

    private void starts(ApplicationContextRunner configured) {
        starts(configured, context -> {});
    }

    private void starts(ApplicationContextRunner configured, ContextConsumer<AssertableApplicationContext> use) {
        configured.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(warnings()).isEmpty();
            use.accept(context);
        });
    }

    private void startsWith(Class<?> bean, String... properties) {
        starts(application.withBean(bean).withPropertyValues(properties));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.other.Orders",
                "com.other.Orders#place",
                "com.other.Orders#place(com.other.Order)",
                HERE + "Outside",
                HERE + "Outside#send",
                HERE + "Plain",
                "com.acme.correct.Pricing"
            })
    void aKeyOfAClassWithoutABeanHere(String key) {
        startsWith(Payments.class, "retryon.methods[" + key + "].max-attempts=5");
    }

    @Test
    void aKeyWithTheExceptionAndTheBeansOfAnotherApplication() {
        startsWith(
                Payments.class,
                "retryon.methods[com.other.Orders].exceptions=com.other.Declined",
                "retryon.methods[com.other.Orders].recover=others#recover",
                "retryon.methods[com.other.Orders].budget=others");
    }

    @Test
    void aKeyOfAnInterfaceThatOnlyOtherBeansImplement() {
        startsWith(Payments.class, "retryon.methods[" + HERE + "Rates#rate].max-attempts=5");
    }

    @Test
    void aKeyOfAConditionalBean() {
        startsWith(ConditionalPayments.class, "retryon.methods[" + HERE + "Payments#charge].max-attempts=5");
    }

    @Test
    void aKeyOfABeanOfAnotherProfile() {
        startsWith(OfProfile.class, "retryon.methods[" + HERE + "OfProfile].max-attempts=5");
    }

    @Test
    void keysOfTheBeansOfParentAndChild() {
        String[] properties = {
            "retryon.methods[" + HERE + "Payments#charge].max-attempts=5",
            "retryon.methods[" + HERE + "Signalling].max-attempts=5"
        };
        starts(
                application.withBean(Payments.class).withPropertyValues(properties),
                parent -> starts(application
                        .withParent(parent)
                        .withBean(Signalling.class)
                        .withPropertyValues(properties)));
    }

    @Test
    void aMockInTheBeansPlace() {
        starts(application.withInitializer(
                context -> context.getBeanFactory().registerSingleton("payments", mock(Payments.class))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exceptions=java.io.IOException,",
                "exceptions=java.io.IOException,,java.lang.IllegalStateException",
                "excludes=,",
                "recover-on=,",
                "recover-on=",
                "non-retryable-errors=auth.expired,"
            })
    void aListWithAnEmptyItem(String list) {
        startsWith(Payments.class, "retryon.defaults." + list);
    }

    @Test
    void settingsOfDeadLettersForAnotherApplication() {
        startsWith(
                Payments.class,
                "retryon.dead-letter.retention.max-age=30d",
                "retryon.dead-letter.health.max-count=5",
                "retryon.durable.threads=3",
                "retryon.jdbc.own-connections=0");
    }

    @Test
    void aListWithAnEmptyItemAmongOthers() {
        starts(
                application
                        .withBean(Signalling.class)
                        .withBean(Payments.class)
                        .withPropertyValues(
                                "retryon.defaults.exceptions[0]=java.io.IOException",
                                "retryon.defaults.exceptions[1]=${EXTRA_ERRORS:}",
                                "retryon.defaults.exceptions[2]=java.lang.IllegalStateException"),
                context -> assertThat(Applications.settings(context, Payments.class, "charge")
                                .get(Setting.EXCEPTIONS))
                        .contains(IOException.class, IllegalStateException.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"statuses=503,", "statuses=,", "methods=GET,"})
    void aListOfClientsWithAnEmptyItem(String list) {
        startsWith(Payments.class, "retryon.http.enabled=true", "retryon.http." + list);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exceptions=com.other.Declined",
                "excludes=com.other.Declined,java.io.IOException",
                "recover-on[0]=com.other.Declined",
                "only-if=@flags.isOn('retries')",
                "unless=#error instanceof T(com.other.Declined)",
                "retry-if=#result.status == 'BUSY'",
                "backoff=patient",
                "backoff=exponentialy",
                "budget=others",
                "recover=others#recover"
            })
    void aPolicyThatOnlyAnotherApplicationUses(String setting) {
        startsWith(Payments.class, "retryon.policies.others." + setting);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "excludes=com.other.Declined",
                "excludes=com.other.Declined,java.lang.IllegalStateException",
                "excludes[0]=java.lang.IllegalStateException,retryon.defaults.excludes[1]=com.other.Declined"
            })
    void anExcludedExceptionThatIsNotOnTheClassPath(String excludes) {
        String[] properties = excludes.contains("[0]")
                ? ("retryon.defaults." + excludes).split(",", -1)
                : new String[] {"retryon.defaults." + excludes};
        starts(application.withBean(Payments.class).withPropertyValues(properties), context -> {
            Payments payments = context.getBean(Payments.class);
            assertThatThrownBy(() -> payments.charge(new IllegalStateException()))
                    .isInstanceOf(RuntimeException.class);
            assertThat(target(payments).attempts).isEqualTo(excludes.contains("java.lang") ? 1 : 3);
        });
    }

    @Test
    void aGateOverAPropertyOfASubclassOfTheParameter() {
        starts(application.withBean(Subclasses.class), context -> {
            Subclasses payments = context.getBean(Subclasses.class);
            assertThatThrownBy(() -> payments.charge(new CardPayment())).isInstanceOf(IOException.class);
            assertThat(target(payments).attempts).isEqualTo(3);
        });
    }

    @Test
    void aGateOverTheArgumentOfAGenericBean() {
        startsWith(GenericPayments.class);
    }

    @Test
    void aGateOverErrorsBesideOneOverValues() {
        starts(application.withBean(ValuesAndErrors.class), context -> {
            ValuesAndErrors bean = context.getBean(ValuesAndErrors.class);
            assertThat(bean.rate()).isNegative();
            assertThat(target(bean).attempts).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "within(com.other.Foo)",
                "within(com.other..*)",
                "execution(* com.other.Foo.*(..))",
                "execution(com.other.Bar com.acme.correct.Beans.Outside.*(..))",
                "execution(* com.acme.correct.Beans.Outside.*(..))",
                "execution(* com.acme.correct.Beans.Prices+.*(..))",
                "@annotation(com.other.Retried)",
                "@within(com.other.Retried)",
                "@target(com.other.Retried)",
                "within(com.other.Foo) || execution(* com.acme.correct.Beans.Plain.*(..))",
                "this(com.other.Foo)"
            })
    void aPointcutForTypesThatAreNotHere(String expression) {
        startsWith(
                Payments.class,
                "retryon.pointcuts.others.expression=" + expression,
                "retryon.policies.others.exceptions=com.other.Declined,java.io.IOException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"within(com.acme.correct..*)", "execution(public * *(..))", "execution(* *(..))"})
    void aPointcutForMoreThanWhatIsRetried(String expression) {
        starts(
                application
                        .withBean(Plain.class)
                        .withBean(FinalPrices.class)
                        .withUserConfiguration(ScannedSettings.class)
                        .withPropertyValues(
                                "retryon.http.enabled=true",
                                "retryon.pointcuts.others.expression=" + expression,
                                "retryon.policies.others.exceptions=java.io.IOException"),
                context -> {
                    Plain plain = context.getBean(Plain.class);
                    assertThatThrownBy(plain::send).isInstanceOf(IOException.class);
                    assertThat(plain.attempts()).isEqualTo(3);
                    assertThat(PointcutForAllTests.proxied(context)).containsExactly(Plain.class.getName());
                });
    }

    @Test
    void aPointcutForABeanThatIsMadeLaterAndKnownByItsInterface() {
        starts(application
                .withUserConfiguration(HiddenPrices.class)
                .withPropertyValues(
                        "retryon.pointcuts.prices.expression=within(com.acme.correct.Beans.HiddenPrices.Made)",
                        "retryon.policies.prices.exceptions=java.io.IOException"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"backoff=FIXED", "backoff=Exponential", "jitter=FULL", "jitter=None", "durable.mode=OFF"})
    void aConstantInCapitals(String setting) {
        startsWith(Payments.class, "retryon.defaults." + setting, "retryon.defaults.delay=1ms");
    }

    @Test
    void constantsInCapitalsInAnAnnotation() {
        starts(application.withBean(LoudPayments.class), context -> {
            LoudPayments payments = context.getBean(LoudPayments.class);
            assertThatThrownBy(payments::charge).isInstanceOf(IOException.class);
            assertThat(target(payments).attempts).isEqualTo(3);
        });
    }

    @Test
    void anAnnotationWithoutExceptionsForAMethodThatThrowsASignal() {
        starts(application.withBean(Signalling.class), context -> {
            Signalling bean = context.getBean(Signalling.class);
            assertThatThrownBy(bean::send).isInstanceOf(RuntimeException.class);
            assertThat(target(bean).attempts).isEqualTo(3);
        });
    }

    @Test
    void retriesThatAreSwitchedOff() {
        startsWith(Bare.class, "retryon.methods[" + HERE + "Bare].max-attempts=1");
    }

    @Test
    void aMethodWhoseCallsAreOnlyKept(@TempDir Path folder) {
        starts(application
                .withConfiguration(AutoConfigurations.of(RetryDurableAutoConfiguration.class))
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"))
                .withBean(KeptForLater.class));
    }

    @Test
    void aRetriedCallback() {
        startsWith(Callback.class);
    }

    @Test
    void aFinalClassThatIsUsedByItsInterface() {
        starts(
                application
                        .withBean("prices", Prices.class, FinalPrices.Retried::new)
                        .withPropertyValues("spring.aop.proxy-target-class=false"),
                context -> assertThatThrownBy(
                                () -> context.getBean(Prices.class).price())
                        .isInstanceOf(IOException.class));
    }

    @Test
    void aServiceOfKubernetesThatIsCalledLikeThis() {
        starts(application
                .withBean(Payments.class)
                .withSystemProperties("unrelated=1")
                .withPropertyValues("retryonx.defaults.delay=1s"));
    }

    @Test
    void oneMethodThatTwoSubclassesInherit() {
        starts(application.withBean(Accounts.Savings.class).withBean(Accounts.Current.class));
    }
}
