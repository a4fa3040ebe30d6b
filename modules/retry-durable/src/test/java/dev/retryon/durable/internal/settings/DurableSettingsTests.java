// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.settings;

import static dev.retryon.durable.DurableMode.OFF;
import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.ExhaustionAction;
import dev.retryon.FailedCall;
import dev.retryon.durable.Durable;
import dev.retryon.durable.DurableMode;
import dev.retryon.durable.WhenFailed;
import dev.retryon.spring.Inherit;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The settings of {@code @Durable} come from all layers. */
@ExtendWith(OutputCaptureExtension.class)
class DurableSettingsTests {

    private static final String MAILS = Mails.class.getName();

    private final List<FailedCall> kept = new ArrayList<>();

    private final ApplicationContextRunner runner = Applications.retrying()
            .withBean(Mails.class)
            .withBean(RetryEngineCustomizer.class, () -> engine -> engine.deadLetters(kept::add));

    private static EffectiveSettings settings(BeanFactory beans, String method) {
        return Applications.settings(beans, Mails.class, method);
    }

    private static ExhaustionAction action(BeanFactory beans, String method) {
        return Applications.method(beans, Mails.class, method).policy().onExhaustion();
    }

    @Test
    void theAnnotationHasAnAttributeForEachSetting() {
        Set<String> attributes = Arrays.stream(Durable.class.getDeclaredMethods())
                .map(method -> method.getName().equals("value") ? "mode" : method.getName())
                .collect(Collectors.toSet());
        assertThat(new DurableGroup().settings())
                .filteredOn(setting -> !setting.isOnlyForOperators())
                .extracting(Setting::localName)
                .containsExactlyInAnyOrderElementsOf(attributes);
    }

    @Test
    void theAnnotationKeepsCallsAndNeedsNoOtherAnnotation() {
        runner.run(context -> {
            assertThat(action(context, "kept")).isEqualTo(ExhaustionAction.DEAD_LETTER);
            assertThat(settings(context, "kept").source(DurableGroup.MODE)).isEqualTo("@Durable on " + MAILS + ".kept");
            assertThatThrownBy(() -> context.getBean(Mails.class).kept()).isInstanceOf(IOException.class);
            assertThat(kept).extracting(call -> call.state().attempt()).containsExactly(1);
        });
    }

    @Test
    void nothingIsKeptByDefault() {
        runner.run(context -> {
            assertThat(settings(context, "plain").source(DurableGroup.MODE)).isEqualTo("default");
            assertThatThrownBy(() -> context.getBean(Mails.class).plain()).isInstanceOf(IOException.class);
            assertThat(kept).isEmpty();
        });
    }

    @Test
    void theDefaultsAreWeakerThanAnAnnotation() {
        runner.withPropertyValues("retryon.defaults.durable.mode=on-exhaustion").run(context -> {
            assertThat(action(context, "plain")).isEqualTo(ExhaustionAction.DEAD_LETTER);
            assertThat(action(context, "off")).isEqualTo(ExhaustionAction.RETHROW);
        });
    }

    @Test
    void thePropertiesOfAMethodAreStrongerThanAnAnnotation() {
        runner.withPropertyValues(
                        "retryon.methods[" + MAILS + "#kept].durable.mode=OFF",
                        "retryon.methods[" + MAILS + "#outbox].durable.uniqueKey=#p0",
                        "retryon.methods[" + MAILS + "#outbox].durable.initial-delay=5m")
                .run(context -> {
                    assertThat(action(context, "kept")).isEqualTo(ExhaustionAction.RETHROW);
                    EffectiveSettings outbox = settings(context, "outbox");
                    assertThat(outbox.get(DurableGroup.MODE)).isEqualTo(OUTBOX);
                    assertThat(outbox.get(DurableGroup.LANE)).isEqualTo("mail");
                    assertThat(outbox.get(DurableGroup.UNIQUE_KEY)).isEqualTo("#p0");
                    assertThat(outbox.get(DurableGroup.INITIAL_DELAY)).isEqualTo(Duration.ofMinutes(5));
                    assertThat(outbox.source(DurableGroup.INITIAL_DELAY))
                            .isEqualTo("retryon.methods[" + MAILS + "#outbox]");
                });
    }

    @Test
    void policiesHaveThemToo() {
        runner.withBean(WithPolicy.class)
                .withPropertyValues(
                        "retryon.policies.stored.durable.mode=on-failure",
                        "retryon.policies.stored.durable.when-failed=keep-all",
                        "retryon.pointcuts.stored.expression=execution(* " + WithPolicy.class.getName()
                                + ".*ByPointcut(..))")
                .run(context -> {
                    for (String name : List.of("byPolicy", "sentByPointcut")) {
                        RetriedMethod method = Applications.method(context, WithPolicy.class, name);
                        assertThat(method.isHandedOver()).as(name).isTrue();
                        assertThat(method.policy().onExhaustion()).isEqualTo(ExhaustionAction.DEAD_LETTER);
                        assertThat(method.settings().source(DurableGroup.MODE)).isEqualTo("retryon.policies.stored");
                    }
                });
    }

    @ParameterizedTest
    @CsvSource({
        "off, keep-all, RETHROW",
        "on-exhaustion, keep, DEAD_LETTER",
        "on-exhaustion, keep-all, DEAD_LETTER",
        "on-exhaustion, delete, RETHROW",
        "on-failure, keep, RETHROW",
        "on-failure, keep-all, DEAD_LETTER",
        "on-failure, delete, DISCARD",
        "outbox, keep, RETHROW",
        "outbox, delete, DISCARD"
    })
    void theModeAndWhenFailedDecideWhatIsKept(String mode, String whenFailed, ExhaustionAction action) {
        runner.withPropertyValues(
                        "retryon.defaults.durable.mode=" + mode, "retryon.defaults.durable.when-failed=" + whenFailed)
                .run(context -> assertThat(action(context, "plain")).isEqualTo(action));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void placeholdersAndExpressionsAreResolved(Setting<?> setting, Object value) {
        runner.withPropertyValues("my.lane=mail", "my.key=#args.length", "my.delay=6s")
                .run(context -> {
                    for (String method : List.of("placeholders", "expressions")) {
                        assertThat(settings(context, method).<Object>get(cast(setting)))
                                .as(method)
                                .isEqualTo(value);
                    }
                });
    }

    @SuppressWarnings("unchecked")
    private static Setting<Object> cast(Setting<?> setting) {
        return (Setting<Object>) setting;
    }

    static List<Object[]> texts() {
        return List.of(
                new Object[] {DurableGroup.LANE, "mail"},
                new Object[] {DurableGroup.UNIQUE_KEY, "#args.length"},
                new Object[] {DurableGroup.INITIAL_DELAY, Duration.ofSeconds(6)});
    }

    @Test
    void classesAndComposedAnnotationsHaveIt() {
        runner.withBean(Letters.class).withBean(Composed.class).run(context -> {
            assertThat(Applications.settings(context, Letters.class, "send").get(DurableGroup.MODE))
                    .isEqualTo(ON_FAILURE);
            assertThat(Applications.settings(context, Letters.class, "send").get(DurableGroup.LANE))
                    .isEqualTo("letters");
            assertThat(Applications.settings(context, Letters.class, "refuse").get(DurableGroup.MODE))
                    .as("NONE ignores the annotation of the class")
                    .isEqualTo(OUTBOX);
            assertThat(Applications.settings(context, Letters.class, "refuse").get(DurableGroup.LANE))
                    .isNull();
            EffectiveSettings composed = Applications.settings(context, Composed.class, "send");
            assertThat(composed.get(DurableGroup.MODE)).isEqualTo(OUTBOX);
            assertThat(composed.get(DurableGroup.LANE)).isEqualTo("fast");
            assertThat(composed.get(Setting.MAX_ATTEMPTS)).isEqualTo(7);
            assertThat(composed.source(DurableGroup.LANE)).startsWith("@Outbox on ");
        });
    }

    @Test
    void oneCallCanBeKept() {
        runner.run(context -> {
            assertThatThrownBy(() -> Retries.with(call -> call.set("durable.when-failed", "keep-all"))
                            .run(() -> context.getBean(Mails.class).plain()))
                    .isInstanceOf(IOException.class);
            assertThat(kept).hasSize(1);
        });
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "durable.mode, outbox, 'durable.mode' is not a setting of a call",
                "paused, true, 'paused' is not a setting of a call",
                "durable.when-failed, drop, durable.whenFailed is 'drop'"
            })
    void aCallRejectsWhatItCannotHave(String property, String value, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Retries.with(call -> call.set(property, value)))
                .withMessageContaining(problem);
    }

    @Test
    void anOperatorCanSwitchDeadLettersOnAndOff() {
        runner.run(context -> {
            RuntimeSettings operator = context.getBean(RuntimeSettings.class);
            RuntimeChange.Target all = new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false);

            operator.change(all, Map.of("durable.whenFailed", "keep-all"), null, null);
            assertThat(action(context, "plain")).isEqualTo(ExhaustionAction.DEAD_LETTER);

            operator.change(all, Map.of("durable.whenFailed", "delete"), null, null);
            assertThat(action(context, "kept")).isEqualTo(ExhaustionAction.RETHROW);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> operator.change(all, Map.of("durable.mode", "off"), null, null))
                    .withMessageContaining("'durable.mode' cannot be changed while the application runs");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "durable.mode=bury | retryon.defaults.durable.mode: durable.mode is 'bury'",
                "durable.mode=inherit | must be one of off, on-exhaustion, on-failure, outbox",
                "durable=outbox | retryon.defaults.durable: is 'outbox', but must be a block of properties",
                "durable.modus=outbox | retryon.defaults.durable.modus: is not a property; did you mean",
                "durable.initial-delay=soon | durable.initialDelay is 'soon'"
            })
    void aWrongPropertyIsAFault(String property, String problem) {
        runner.withPropertyValues("retryon.defaults." + property)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .asString()
                        .contains(problem));
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "OFF", "'off'", "no"})
    void aModeIsOffInTheWordsOfYaml(String off) {
        reading("retryon.defaults.durable.mode: outbox", "retryon.methods[" + MAILS + "#plain].durable.mode: " + off)
                .run(context -> assertThat(settings(context, "plain").get(DurableGroup.MODE))
                        .isEqualTo(OFF));
    }

    @ParameterizedTest
    @ValueSource(strings = {"on-exhaustion", "ON_EXHAUSTION", "onExhaustion", "On-Exhaustion"})
    void aModeHasTheFormsOfOtherConstants(String mode) {
        reading("retryon.defaults.durable.mode: " + mode)
                .run(context -> assertThat(settings(context, "plain").get(DurableGroup.MODE))
                        .isEqualTo(ON_EXHAUSTION));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "retryon.defaults:",
                "retryon.defaults.durable:",
                "retryon.defaults: {}",
                "retryon.defaults.durable: {}"
            })
    void anEmptyBlockHidesNoSetting(String empty) {
        String mode = "retryon.defaults.durable.mode: outbox";
        for (String[] files : List.of(new String[] {mode, empty}, new String[] {empty, mode})) {
            reading(files)
                    .run(context -> assertThat(settings(context, "plain").get(DurableGroup.MODE))
                            .isEqualTo(OUTBOX));
        }
    }

    @Test
    void anEmptyBlockOfAMethodHidesNoSetting() {
        String block = "retryon.methods[" + MAILS + "#plain]";
        reading(block + ".durable.mode: outbox", block + ":")
                .run(context -> assertThat(settings(context, "plain").get(DurableGroup.MODE))
                        .isEqualTo(OUTBOX));
    }

    @ParameterizedTest
    @CsvSource({"MYMAIL, INITIALDELAY", "MY_MAIL, INITIAL_DELAY"})
    void environmentVariablesAreRead(String policy, String setting) {
        Map<String, Object> variables = Map.of(
                "RETRYON_DEFAULTS_DURABLE_" + setting, "5m",
                "RETRYON_POLICIES_" + policy + "_DURABLE_" + setting, "6m");
        reading("retryon.policies.my-mail.max-attempts: 2")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables)))
                .withBean(OfMyMail.class)
                .run(context -> {
                    assertThat(settings(context, "plain").get(DurableGroup.INITIAL_DELAY))
                            .isEqualTo(Duration.ofMinutes(5));
                    assertThat(Applications.settings(context, OfMyMail.class, "send")
                                    .get(DurableGroup.INITIAL_DELAY))
                            .isEqualTo(Duration.ofMinutes(6));
                });
    }

    @Test
    void aPlaceholderThatRefersToItselfIsNotIgnored() {
        runner.withPropertyValues("a=${b}", "b=${a}", "retryon.defaults.durable.mode=${a}")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("Circular placeholder"));
    }

    @Test
    void aListOfOneSettingIsReported(CapturedOutput output) {
        reading("retryon.defaults.durable.mode: [outbox]")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("retryon.defaults.durable.mode[0]: this version of RetryOn ignores this");
    }

    /** The application with these files, the strongest last. */
    private ApplicationContextRunner reading(String... files) {
        ApplicationContextRunner reading = runner;
        for (String file : files) {
            reading = reading.withInitializer(context -> {
                try {
                    new YamlPropertySourceLoader()
                            .load(file, new ByteArrayResource(file.getBytes(StandardCharsets.UTF_8)))
                            .forEach(context.getEnvironment().getPropertySources()::addFirst);
                } catch (IOException ex) {
                    throw new UncheckedIOException(ex);
                }
            });
        }
        return reading;
    }

    @Test
    void aRetryOfTheRegistryCannotStoreItsRetries() {
        runner.withPropertyValues("retryon.policies.stored.durable.mode=on-failure")
                .run(context -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> context.getBean(RetryRegistry.class).retry("stored"))
                        .withMessage(
                                "retryon.policies.stored.durable.mode: durable.mode is 'on-failure', but only calls of"
                                        + " bean methods can be stored as durable calls"));
    }

    @Test
    void aRetryOfTheRegistryDoesWithoutTheModeOfTheDefaults() {
        runner.withPropertyValues("retryon.defaults.durable.mode=outbox", "retryon.policies.calm.max-attempts=1")
                .run(context -> assertThat(context.getBean(RetryRegistry.class)
                                .retry("calm")
                                .policy()
                                .onExhaustion())
                        .isEqualTo(ExhaustionAction.RETHROW));
    }

    @Test
    void settingsThatNeedAModeAreReported(CapturedOutput output) {
        runner.withBean(WithoutMode.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains(".charge: durable.lane is 'a' (@Durable on ", "durable.uniqueKey is '#p0' (@Durable on ")
                .contains("which has no effect without durable.mode; set durable.mode, or remove durable.lane,"
                        + " durable.uniqueKey");
    }

    @Test
    void nothingIsReportedWhereALayerTurnsTheModeOff(CapturedOutput output) {
        runner.withBean(WithoutMode.class)
                .withPropertyValues("retryon.defaults.durable.mode=off")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("has no effect");
    }

    @Test
    void methodsThatAreStoredWithoutARetryNeedNoException(CapturedOutput output) {
        runner.run(context -> {
            RetriedMethod outbox = Applications.method(context, Mails.class, "outbox");
            assertThat(outbox.isHandedOver()).isTrue();
            assertThat(outbox.policy().exceptions()).isEmpty();
        });
        assertThat(output).doesNotContain("no layer lists an exception");
    }

    @Test
    void methodsWhoseStorageIsTurnedOffNeedNoException(CapturedOutput output) {
        runner.withPropertyValues("retryon.methods.[" + MAILS + "#outbox].durable.mode=off")
                .run(context -> assertThat(Applications.method(context, Mails.class, "outbox")
                                .isHandedOver())
                        .isFalse());
        assertThat(output).doesNotContain("no layer lists an exception");
    }

    @Test
    void methodsWhoseFailedCallsAreDeletedNeedNoException(CapturedOutput output) {
        runner.withPropertyValues("retryon.methods.[" + MAILS + "#kept].durable.when-failed=delete")
                .run(context -> assertThat(action(context, "kept")).isEqualTo(ExhaustionAction.RETHROW));
        assertThat(output).doesNotContain("no layer lists an exception");
    }

    static class Mails {

        @Durable(ON_EXHAUSTION)
        public void kept() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        public void plain() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(OFF)
        public void off() throws IOException {
            throw new IOException("down");
        }

        @Durable(value = OUTBOX, lane = "mail")
        public void outbox(String text) {}

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, lane = "${my.lane:x}", uniqueKey = "${my.key:x}", initialDelay = "${my.delay:0}")
        public void placeholders() {}

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, lane = "#{'mail'}", uniqueKey = "#args.#{'length'}", initialDelay = "#{6}s")
        public void expressions() {}
    }

    static class OfMyMail {

        @RetryOn(value = IOException.class, policy = "my-mail")
        public void send() {}
    }

    static class WithPolicy {

        @RetryOn(value = IOException.class, policy = "stored")
        public void byPolicy() {}

        public void sentByPointcut() {}
    }

    @RetryOn(IOException.class)
    @Durable(value = ON_FAILURE, lane = "letters", whenFailed = WhenFailed.DELETE)
    static class Letters {

        public void send() {}

        @Durable(OUTBOX)
        @RetryOn(value = IOException.class, inherit = Inherit.NONE)
        public void refuse() {}
    }

    @RetryOn(value = IOException.class, maxAttempts = 7)
    @Durable(OUTBOX)
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Outbox {

        @AliasFor(annotation = Durable.class, attribute = "lane")
        String lane() default "";

        @AliasFor(annotation = Durable.class, attribute = "value")
        DurableMode mode() default OUTBOX;
    }

    static class Composed {

        @Outbox(lane = "fast")
        public void send() {}
    }

    static class WithoutMode {

        @RetryOn(IOException.class)
        @Durable(lane = "a", uniqueKey = "#p0")
        public void charge(String order) {}
    }
}
