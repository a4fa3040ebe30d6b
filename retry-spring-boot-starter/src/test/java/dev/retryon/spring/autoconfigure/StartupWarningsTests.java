// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.Flag;
import dev.retryon.spring.RetryOn;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.net.ConnectException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** What is logged about things that are odd but no faults: one line each. */
@ExtendWith(OutputCaptureExtension.class)
class StartupWarningsTests {

    private static final String HERE = StartupWarningsTests.class.getName() + "$";

    private final CapturedOutput output;

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    StartupWarningsTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> warnings(Class<?> bean, String... properties) {
        return warnings(runner.withBean(bean).withPropertyValues(properties));
    }

    private List<String> warnings(ApplicationContextRunner application) {
        application.run(context -> assertThat(context).hasNotFailed());
        return Arrays.stream(output.getAll().split("\\R"))
                .filter(line -> line.matches(".*WARN .*\\bdev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: .*"))
                .map(line -> line.replaceFirst("^.*? dev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: ", "")
                        .replace(HERE, ""))
                .toList();
    }

    @Test
    void noExceptions() {
        assertThat(warnings(NoExceptions.class))
                .containsExactly("NoExceptions.charge: no layer lists an exception, so only errors that request a retry"
                        + " (RetrySignal, RetryHint) are retried; write @RetryOn(IOException.class), or set"
                        + " retryon.defaults.exceptions");
    }

    @Test
    void noExceptionsAndAnAttemptTimeoutThatIsNone() {
        assertThat(warnings(NoExceptions.class, "retryon.defaults.attempt-timeout=0s"))
                .singleElement()
                .asString()
                .startsWith("NoExceptions.charge: no layer lists an exception");
    }

    @Test
    void nothingAboutExceptionsWhereThePolicyIsUnknown() {
        runner.withBean(UnknownPolicy.class).run(context -> assertThat(context).hasFailed());

        assertThat(output).doesNotContain("no layer lists an exception");
    }

    @Test
    void nothingAboutTheKeyOfAnOverloadWithVariableArguments() {
        assertThat(warnings(
                        VariableArguments.class,
                        "retryon.methods[" + HERE + "VariableArguments#charge(String...)].max-attempts=4",
                        "retryon.methods[" + HERE + "VariableArguments#charge(int, java.lang.String...)].delay=1s"))
                .isEmpty();
    }

    @Test
    void nothingAboutCallbacksWhichOthersMayCallToo() {
        assertThat(warnings(PostConstructed.class)).isEmpty();
        assertThat(warnings(CoveredCallback.class)).isEmpty();
        assertThat(warnings(PreDestroyed.class)).isEmpty();
    }

    @Test
    void aRegisteredObject() {
        assertThat(warnings(runner.withInitializer(
                        context -> context.getBeanFactory().registerSingleton("plain", new Plain()))))
                .containsExactly("Bean 'plain' of Plain has retried methods but no proxy, because the object was"
                        + " registered with registerSingleton. None of its methods is retried. Define the bean with"
                        + " @Bean or registerBean");
    }

    @Test
    void nothingAboutARegisteredObjectThatIsAMockOrHasAProxy() {
        assertThat(warnings(runner.withInitializer(context -> {
                    context.getBeanFactory().registerSingleton("mock", Mockito.mock(Plain.class));
                    context.getBeanFactory().registerSingleton("proxy", new ProxyFactory(new Plain()).getProxy());
                    context.getBeanFactory().registerSingleton("text", "text");
                })))
                .isEmpty();
    }

    @Test
    void aKeyOfARecoveryMethodThatItsClassCovers() {
        assertThat(warnings(CoveredRecovery.class, "retryon.methods[" + HERE + "CoveredRecovery#instead].delay=1s"))
                .singleElement()
                .asString()
                .startsWith("retryon.methods[CoveredRecovery#instead] matches no retried method");
        assertThat(warnings(CoveredRecovery.class, "retryon.methods[" + HERE + "CoveredRecovery#charge].delay=1s"))
                .as("no other")
                .hasSize(1);
    }

    @Test
    void settingsThatNeedAnother() {
        assertThat(warnings(WithoutBudget.class))
                .containsExactly(
                        "WithoutBudget.refund: budgetKey is '#p0' (@RetryOn on WithoutBudget.refund), which has no effect"
                                + " without budget; set budget, or remove budgetKey");
    }

    @Test
    void nothingAboutSettingsThatOthersSetOrTurnOff() {
        assertThat(warnings(WithoutBudget.class, "retryon.methods[" + HERE + "WithoutBudget#refund].budget=default"))
                .isEmpty();
        assertThat(warnings(Plain.class, "retryon.defaults.budget-key=#p0")).isEmpty();
        assertThat(warnings(InheritsBudgetKey.class)).isEmpty();
    }

    @Test
    void attemptsAboveTheLimit() {
        assertThat(warnings(Plain.class, "retryon.limits.max-attempts=4", "retryon.defaults.max-attempts=9"))
                .containsExactly(
                        "Plain.charge: maxAttempts 9 (retryon.defaults) is above retryon.limits.max-attempts and is"
                                + " lowered to 4; lower it, or raise the limit (logged once)");
    }

    @Test
    void finalMethodOfAnAnnotatedClass() {
        assertThat(warnings(FinalMethod.class))
                .containsExactly(
                        "FinalMethod.charge is final, so no proxy can retry it although @RetryOn covers it; make it"
                                + " overridable, or annotate it with @DoNotRetry");
    }

    @Test
    void otherLibraryThatRetriesTheSameMethod() {
        assertThat(warnings(runner.withUserConfiguration(Resilient.class).withBean(RetriedTwice.class)))
                .containsExactly(
                        "RetriedTwice.charge is retried by RetryOn and by Spring Framework's @Retryable, so their"
                                + " attempts multiply (3 × 3 = 9); let only one of them retry it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"max-attempts=1", "retryable=false"})
    void nothingAboutAnOtherLibraryWhereRetryOnDoesNotRetry(String setting) {
        assertThat(warnings(runner.withUserConfiguration(Resilient.class)
                        .withBean(RetriedTwice.class)
                        .withPropertyValues("retryon.methods[" + HERE + "RetriedTwice#charge]." + setting)))
                .isEmpty();
    }

    @Test
    void nothingAboutAnOtherLibraryThatIsNotActive() {
        assertThat(warnings(RetriedTwice.class)).isEmpty();
    }

    @Test
    void typeThatIsListedAndExcluded() {
        assertThat(warnings(ListedTwice.class))
                .containsExactly("ListedTwice.charge: java.io.IOException is in 'exceptions' (@RetryOn on"
                        + " ListedTwice.charge) and in 'excludes' (@RetryOn on ListedTwice.charge), so the exception is"
                        + " not retried; correct one of the two lists");
    }

    @Test
    void nothingAboutAnExcludeThatTakesBackATypeOfAWeakerLayer() {
        assertThat(warnings(Plain.class, "retryon.methods[" + HERE + "Plain].excludes=java.io.IOException"))
                .isEmpty();
    }

    @Test
    void typeWhoseSupertypeIsExcluded() {
        assertThat(warnings(Connecting.class, "retryon.defaults.excludes=java.io.IOException"))
                .containsExactly("Connecting.charge: java.net.ConnectException is in 'exceptions' (@RetryOn on"
                        + " Connecting.charge) and java.io.IOException, its supertype, is in 'excludes'"
                        + " (retryon.defaults), so the exception is not retried; correct one of the two lists");
    }

    @Test
    void nothingAboutASubtypeThatIsExcluded() {
        assertThat(warnings(Plain.class, "retryon.defaults.excludes=java.net.ConnectException"))
                .isEmpty();
    }

    @Test
    void typesThatNoPolicyRetries() {
        assertThat(warnings(NeverRetried.class))
                .containsExactly(
                        "NeverRetried.charge: NeverRetried$Hopeless is in 'exceptions' (@RetryOn on"
                                + " NeverRetried.charge), but is never retried itself; remove it",
                        "NeverRetried.charge: java.lang.InterruptedException is in 'exceptions' (@RetryOn on"
                                + " NeverRetried.charge), but is never retried itself; remove it",
                        "NeverRetried.charge: java.lang.OutOfMemoryError is in 'exceptions' (@RetryOn on"
                                + " NeverRetried.charge), but is never retried itself; remove it");
    }

    @Test
    void doNotRetryOnTheClassOfABean() {
        assertThat(warnings(OptedOut.class))
                .containsExactly(
                        "@DoNotRetry on OptedOut has no effect, because the class is not an exception; annotate each"
                                + " method that must not be retried");
    }

    @Test
    void delayAndAttemptTimeoutAboveTimeout() {
        assertThat(warnings(
                        Plain.class,
                        "retryon.defaults.delay=3s",
                        "retryon.defaults.attempt-timeout=5s",
                        "retryon.defaults.timeout=2s"))
                .containsExactly(
                        "Plain.charge: delay is '3s' (retryon.defaults), which is not below timeout, '2s'"
                                + " (retryon.defaults), so a call ends instead of waiting that long; set a delay below"
                                + " timeout",
                        "Plain.charge: attemptTimeout is '5s' (retryon.defaults), which is not below timeout, '2s'"
                                + " (retryon.defaults), so an attempt that takes this long is not retried; set an"
                                + " attemptTimeout below timeout");
    }

    @Test
    void delayAndAttemptTimeoutThatEqualTimeout() {
        assertThat(warnings(
                        Plain.class,
                        "retryon.defaults.delay=2s",
                        "retryon.defaults.attempt-timeout=2s",
                        "retryon.defaults.timeout=2s"))
                .hasSize(2)
                .allMatch(line -> line.contains("is '2s' (retryon.defaults), which is not below timeout, '2s'"));
    }

    @Test
    void pointcutThatMatchesNothing() {
        String type = HERE.replace("$", ".") + "Plain";
        assertThat(warnings(
                        Plain.class,
                        "retryon.policies.stock.max-attempts=4",
                        "retryon.pointcuts.used.expression=execution(* " + type + ".charge())",
                        "retryon.pointcuts.used.policy=stock",
                        "retryon.pointcuts.gone.expression=execution(* " + type + ".gone(..))",
                        "retryon.pointcuts.gone.policy=stock"))
                .containsExactly("retryon.pointcuts.gone.expression is 'execution(* " + type + ".gone(..))', which"
                        + " matches no method of any bean, so the policy 'stock' has no effect; correct the expression"
                        + " or remove the pointcut");
    }

    @Test
    void annotatedClassWithoutAPublicMethod() {
        assertThat(warnings(NothingPublic.class))
                .containsExactly(
                        "@RetryOn on NothingPublic covers no method, because the class has no public method; make"
                                + " its methods public, or annotate each one");
    }

    @Test
    void nothingAboutAnAnnotatedClassThatOptsOutOfAllItsMethods() {
        assertThat(warnings(AllOptedOut.class)).isEmpty();
    }

    @Test
    void nothingAboutSettingsThatAreUnusualButAllowed() {
        assertThat(warnings(
                        Unusual.class,
                        "retryon.defaults.multiplier=3",
                        "retryon.defaults.non-retryable-errors=*.auth",
                        "retryon.budgets.gateway.ratio=20"))
                .isEmpty();
    }

    @Test
    void nothingWhereNothingIsOdd() {
        assertThat(warnings(Plain.class)).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Resilient {}

    static class RetriedTwice {
        @RetryOn(IOException.class)
        @Retryable(IOException.class)
        public void charge() {}
    }

    static class Plain {
        @RetryOn(IOException.class)
        public void charge() {}
    }

    static class Connecting {
        @RetryOn(ConnectException.class)
        public void charge() {}
    }

    static class NeverRetried {
        @RetryOn({InterruptedException.class, OutOfMemoryError.class, Hopeless.class, IOException.class})
        public void charge() {}

        @DoNotRetry
        @SuppressWarnings("serial")
        static class Hopeless extends Exception {}
    }

    @DoNotRetry
    static class OptedOut {
        @RetryOn(IOException.class)
        public void charge() {}
    }

    static class PostConstructed {
        @PostConstruct
        @RetryOn(IOException.class)
        public void connect() {}
    }

    static class WithoutBudget {

        @RetryOn(value = IOException.class, budgetKey = "#p0")
        public void refund(String order) {}
    }

    abstract static class WithBudgetKey {

        @RetryOn(value = IOException.class, budgetKey = "#p0")
        public abstract void charge(String order);
    }

    static class InheritsBudgetKey extends WithBudgetKey {

        @Override
        public void charge(String order) {}
    }

    @RetryOn(value = IOException.class, recover = "instead")
    static class CoveredRecovery {

        public void charge() {}

        public void instead(IOException error) {}
    }

    static class PreDestroyed {
        @PreDestroy
        @RetryOn(IOException.class)
        public void disconnect() {}
    }

    @RetryOn(IOException.class)
    static class CoveredCallback {
        @PostConstruct
        public void connect() {}
    }

    static class ListedTwice {
        @RetryOn(value = IOException.class, excludes = IOException.class)
        public void charge() {}
    }

    static class UnknownPolicy {
        @RetryOn(policy = "nowhere")
        public void charge() {}
    }

    static class VariableArguments {
        @RetryOn(IOException.class)
        public void charge(String... orders) {}

        @RetryOn(IOException.class)
        public void charge(int count, String... orders) {}
    }

    @RetryOn(IOException.class)
    static class NothingPublic {

        void charge() {}

        protected void refund() {}
    }

    @RetryOn(IOException.class)
    static class AllOptedOut {

        @DoNotRetry
        public void charge() {}
    }

    static class Unusual {

        @RetryOn(value = IOException.class, maxAttempts = 0)
        public void charge() {}

        @RetryOn(value = IOException.class, maxAttempts = 5, retryable = Flag.FALSE)
        public void refund() {}

        @RetryOn(value = IOException.class, backoff = "fixed", recoverOn = IllegalStateException.class)
        public void send() {}
    }

    static class NoExceptions {
        @RetryOn
        public void charge() {}
    }

    @RetryOn(IOException.class)
    static class FinalMethod {
        public void refund() {}

        public final void charge() {}
    }
}
