// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What properties say about methods: defaults, named policies, and the operator's word. */
@ExtendWith(OutputCaptureExtension.class)
class OperatorLayersTests {

    private static final String PAYMENTS = Payments.class.getName();

    private static final String BASE = PaymentsBase.class.getName();

    private static final String API = PaymentsApi.class.getName();

    private final ApplicationContextRunner runner = Applications.retrying().withBean(Payments.class);

    static Stream<Arguments> theNarrowerKeyIsTheStronger() {
        String cls = key(PAYMENTS);
        String superclass = key(BASE);
        String api = key(API);
        String method = key(PAYMENTS + "#charge");
        String apiMethod = key(API + "#charge");
        String overload = key(PAYMENTS + "#charge(String,int)");
        String apiOverload = key(API + "#charge(java.lang.String, int)");
        return Stream.of(
                arguments("a class beats what the code says", 11, new String[] {cls + "11"}),
                arguments("an interface counts too", 12, new String[] {api + "12"}),
                arguments("a superclass beats an interface", 13, new String[] {superclass + "13", api + "12"}),
                arguments("the class beats its superclass", 11, new String[] {cls + "11", superclass + "13"}),
                arguments("a method beats a class", 14, new String[] {method + "14", cls + "11"}),
                arguments("even an interface's method", 15, new String[] {apiMethod + "15", cls + "11"}),
                arguments(
                        "the class's method beats the interface's", 14, new String[] {apiMethod + "15", method + "14"}),
                arguments("an overload beats a method", 16, new String[] {overload + "16", method + "14", cls + "11"}),
                arguments("even an interface's overload", 17, new String[] {apiOverload + "17", method + "14"}),
                arguments("the class's overload is strongest", 16, new String[] {apiOverload + "17", overload + "16"}));
    }

    private static String key(String key) {
        return "retryon.methods[" + key + "].max-attempts=";
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void theNarrowerKeyIsTheStronger(String rule, int maxAttempts, String[] properties) {
        runner.withPropertyValues(properties).run(context -> {
            EffectiveSettings settings = charge(context, 2);
            assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(maxAttempts);
            assertThat(settings.source(Setting.MAX_ATTEMPTS)).startsWith("retryon.methods[");
        });
    }

    @Test
    void anOverloadsKeyLeavesTheOtherOverloadsAlone() {
        runner.withPropertyValues(key(PAYMENTS + "#charge(String)") + "5").run(context -> {
            assertThat(charge(context, 1).get(Setting.MAX_ATTEMPTS)).isEqualTo(5);
            assertThat(charge(context, 2).get(Setting.MAX_ATTEMPTS)).isEqualTo(9);
        });
    }

    @Test
    void aShortKeyThatFitsSeveralOverloadsOfAMockIsNoFault() {
        Applications.retrying()
                .withBean(Orders.class, () -> mock(Orders.class))
                .withPropertyValues(key(Orders.class.getName() + "#place(Order)") + "5")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aShortKeyThatFitsSeveralOverloadsIsAFaultThatNamesTheLongForms() {
        String orders = Orders.class.getName();
        Applications.retrying()
                .withBean(Orders.class)
                .withPropertyValues(key(orders + "#place(Order)") + "5")
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .containsExactly("retryon.methods[" + orders + "#place(Order)]: matches 2 overloads, but must"
                                + " match one; write the parameter types in full: " + orders + "#place("
                                + PAYMENTS.replace("$Payments", "$Domestic$Order)")
                                + ", " + orders + "#place(" + PAYMENTS.replace("$Payments", "$Foreign$Order)")));
    }

    @Test
    void aLongKeyIsForOneOfTheOverloadsThatLookAlike() {
        Applications.retrying()
                .withBean(Orders.class)
                .withPropertyValues(
                        key(Orders.class.getName() + "#place(" + Foreign.Order.class.getName() + ")") + "5",
                        key(Orders.class.getName() + "#place(Domestic$Order)") + "6",
                        key(Orders.class.getName() + "#place(Order...)") + "7")
                .run(context -> assertThat(Applications.methods(context, Orders.class))
                        .extracting(
                                MethodRetry::signature,
                                method -> method.settings().get(Setting.MAX_ATTEMPTS))
                        .containsExactly(
                                tuple(Orders.class.getName() + "#place(" + Domestic.Order.class.getName() + ")", 6),
                                tuple(Orders.class.getName() + "#place(" + Foreign.Order.class.getName() + ")", 5),
                                tuple(Orders.class.getName() + "#place(Order[])", 7)));
    }

    @Test
    void listsOfTheOperatorAddToThoseOfTheCode() {
        runner.withPropertyValues("retryon.methods[" + PAYMENTS + "].exceptions=java.net.ConnectException")
                .run(context -> {
                    EffectiveSettings settings = charge(context, 2);
                    assertThat(settings.get(Setting.EXCEPTIONS))
                            .isEqualTo(Set.of(IOException.class, ConnectException.class));
                    assertThat(settings.sources(Setting.EXCEPTIONS))
                            .extracting(SettingSource::describe)
                            .containsExactly(
                                    "@RetryOn on " + PAYMENTS + ".charge", "retryon.methods[" + PAYMENTS + "]");
                });
    }

    @Test
    void defaultsAreWeakerThanAnyAnnotation() {
        runner.withPropertyValues("retryon.defaults.max-attempts=7", "retryon.defaults.delay=3s")
                .run(context -> {
                    EffectiveSettings settings = charge(context, 2);
                    assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(9);
                    assertThat(settings.get(Setting.DELAY)).isEqualTo(Duration.ofSeconds(3));
                    assertThat(settings.source(Setting.DELAY)).isEqualTo("retryon.defaults");
                });
    }

    @Test
    void defaultsMaySupplyTheExceptions() {
        Applications.retrying()
                .withBean(Bare.class)
                .withPropertyValues("retryon.defaults.exceptions=java.io.IOException")
                .run(context -> assertThat(Applications.settings(context, Bare.class, "run")
                                .values()
                                .get(Setting.EXCEPTIONS)
                                .value())
                        .isEqualTo(Set.of(IOException.class)));
    }

    @Test
    void noExceptionsAnywhereIsOneWarning(CapturedOutput output) {
        Applications.retrying().withBean(Bare.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .containsOnlyOnce(Bare.class.getName() + ".run: no layer lists an exception")
                    .contains("retryon.defaults.exceptions");
        });
    }

    @Test
    void aNamedPolicyIsBelowTheAnnotationThatNamesIt() {
        Applications.retrying()
                .withBean(Named.class)
                .withPropertyValues(
                        "retryon.defaults.delay=1s",
                        "retryon.policies.bank.max-attempts=6",
                        "retryon.policies.bank.delay=2s",
                        "retryon.policies.bank.exceptions=java.net.ConnectException",
                        "retryon.policies.typed.delay=4s",
                        "retryon.policies.typed.max-delay=8s")
                .run(context -> {
                    EffectiveSettings settings = Applications.settings(context, Named.class, "run");
                    assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(5);
                    assertThat(settings.source(Setting.MAX_ATTEMPTS))
                            .isEqualTo("@RetryOn on " + Named.class.getName() + ".run");
                    // The method's policy beats the type's, and the type's beats the defaults.
                    assertThat(settings.get(Setting.DELAY)).isEqualTo(Duration.ofSeconds(2));
                    assertThat(settings.source(Setting.DELAY)).isEqualTo("retryon.policies.bank");
                    assertThat(settings.source(Setting.MAX_DELAY)).isEqualTo("retryon.policies.typed");
                    assertThat(settings.values().get(Setting.EXCEPTIONS).value())
                            .isEqualTo(Set.of(ConnectException.class, IOException.class));
                });
    }

    @Test
    void anUnknownPolicyIsAFaultThatListsTheKnownOnes() {
        Applications.retrying()
                .withBean(Named.class)
                .withPropertyValues("retryon.policies.shop.delay=1s")
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .anySatisfy(fault -> assertThat(fault)
                                .contains(
                                        "@RetryOn on " + Named.class.getName() + ".run",
                                        "policy is 'bank'",
                                        "jdbc-transient, shop")));
    }

    @Test
    void aKeyOfAMistypedMethodIsAFault() {
        runner.withPropertyValues(key(PAYMENTS + "#chrage") + "5", key("com.acme.Payments") + "5")
                .run(context -> {
                    // Another application that shares the file might have the class.
                    assertThat(Applications.faults(context)).hasSize(1);
                    assertThat(Applications.faults(context).get(0).toString())
                            .contains("#chrage]", "matches no retried method");
                });
    }

    @Test
    void aKeyWithADotBeforeTheMethodIsAWarning(CapturedOutput output) {
        runner.withPropertyValues(key(PAYMENTS + ".charge") + "5", key(PAYMENTS + ".charge(String)") + "5")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("RETRYON-W03: retryon.methods[" + PAYMENTS + ".charge] matches no retried method")
                .contains("RETRYON-W03: retryon.methods[" + PAYMENTS + ".charge(String)] matches no retried method");
    }

    @Test
    void aKeyMayBeForABeanThatIsOnlyKnownByItsInterfaceUntilItIsMade() {
        Applications.retrying()
                .withBean("payments", PaymentsApi.class, Payments::new, definition -> definition.setLazyInit(true))
                .withPropertyValues(key(PAYMENTS + "#charge") + "14")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(PaymentsApi.class).charge("a", 1);
                    assertThat(charge(context, 2).get(Setting.MAX_ATTEMPTS)).isEqualTo(14);
                });
    }

    @Test
    void theLimitLowersWhatIsAboveItAndSaysSo(CapturedOutput output) {
        runner.withPropertyValues("retryon.limits.max-attempts=4").run(context -> {
            assertThat(Applications.methods(context, Payments.class))
                    .extracting(method -> method.policy().maxAttempts())
                    .containsExactly(4, 4);
            assertThat(output).contains("maxAttempts 9", "@RetryOn on " + PAYMENTS + ".charge", "lowered to 4");
        });
    }

    private static EffectiveSettings charge(BeanFactory context, int parameters) {
        return Applications.methods(context, Payments.class).stream()
                .filter(method -> method.method().getParameterCount() == parameters)
                .findFirst()
                .orElseThrow()
                .settings();
    }

    interface PaymentsApi {

        void charge(String order, int cents);
    }

    static class PaymentsBase {}

    static class Payments extends PaymentsBase implements PaymentsApi {

        @Override
        @RetryOn(value = IOException.class, maxAttempts = 9)
        public void charge(String order, int cents) {}

        @RetryOn(value = IOException.class, maxAttempts = 9)
        public void charge(String order) {}
    }

    static class Bare {

        @RetryOn
        public void run() {}
    }

    @RetryOn(policy = "typed")
    static class Named {

        @RetryOn(value = IOException.class, policy = "bank", maxAttempts = 5)
        public void run() {}
    }

    static class Domestic {

        record Order() {}
    }

    static class Foreign {

        record Order() {}
    }

    static class Orders {

        @RetryOn(IOException.class)
        void place(Domestic.Order order) {}

        @RetryOn(IOException.class)
        void place(Foreign.Order order) {}

        @RetryOn(IOException.class)
        void place(Foreign.Order... orders) {}
    }
}
