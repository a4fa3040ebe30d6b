// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.settings;

import dev.retryon.ExhaustionAction;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.durable.Durable;
import dev.retryon.durable.DurableMode;
import dev.retryon.durable.WhenBlocked;
import dev.retryon.durable.WhenFailed;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.Setting.Use;
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.SettingSource;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The settings of {@link Durable @Durable}, and {@code retryon.*.durable}. */
public final class DurableGroup extends SettingGroup {

    public static final Setting<DurableMode> MODE = Setting.constantOfGroup(
            "durable.mode",
            Use.AT_START,
            List.of(DurableMode.OFF, DurableMode.ON_EXHAUSTION, DurableMode.ON_FAILURE, DurableMode.OUTBOX),
            policy -> policy.onExhaustion() == ExhaustionAction.DEAD_LETTER ? DurableMode.ON_EXHAUSTION : null);

    public static final Setting<String> LANE = Setting.textOfGroup("durable.lane", Use.AT_START);

    public static final Setting<String> UNIQUE_KEY = Setting.textOfGroup("durable.uniqueKey", Use.AT_START);

    public static final Setting<String> ORDER_KEY = Setting.textOfGroup("durable.orderKey", Use.AT_START);

    public static final Setting<String> ORDER_GROUP = Setting.textOfGroup("durable.orderGroup", Use.AT_START);

    public static final Setting<WhenBlocked> WHEN_BLOCKED = Setting.constantOfGroup(
            "durable.whenBlocked", Use.AT_START, List.of(WhenBlocked.STOP, WhenBlocked.CONTINUE), policy -> null);

    public static final Setting<Duration> INITIAL_DELAY = Setting.durationOfGroup("durable.initialDelay", Use.ANYWHERE);

    public static final Setting<WhenFailed> WHEN_FAILED = Setting.constantOfGroup(
            "durable.whenFailed",
            Use.ANYWHERE,
            List.of(WhenFailed.KEEP, WhenFailed.KEEP_ALL, WhenFailed.DELETE),
            policy -> null);

    public static final Setting<Boolean> PAUSED = Setting.flagOfGroup("paused", Use.BY_OPERATORS);

    public static final String DEFAULT_LANE = "default";

    /** Creates the group. {@code META-INF/spring.factories} needs this constructor. */
    public DurableGroup() {}

    public static boolean isOutbox(RetriedMethod method) {
        return mode(method.settings()) == DurableMode.OUTBOX;
    }

    public static String lane(RetriedMethod method) {
        return lane(method.settings());
    }

    private static String lane(EffectiveSettings settings) {
        return Objects.requireNonNullElse(settings.get(LANE), DEFAULT_LANE);
    }

    /** Returns whether an operator has paused a method's stored calls while the application runs. */
    public static boolean isPaused(RetriedMethod method) {
        return Boolean.TRUE.equals(method.settings().get(PAUSED));
    }

    /** Returns the setting that turns calls into dead letters if they are stored only after they have failed. */
    public static Setting<?> keeping(EffectiveSettings settings) {
        return mode(settings) == DurableMode.ON_EXHAUSTION ? MODE : WHEN_FAILED;
    }

    private static DurableMode mode(EffectiveSettings settings) {
        return Objects.requireNonNullElse(settings.get(MODE), DurableMode.OFF);
    }

    private static ExhaustionAction exhaustion(EffectiveSettings settings) {
        WhenFailed whenFailed = Objects.requireNonNullElse(settings.get(WHEN_FAILED), WhenFailed.KEEP);
        return switch (mode(settings)) {
            case INHERIT, OFF ->
                // Without a mode, layers from start-up have no effect. Calls and operators set whenFailed deliberately.
                whenFailed == WhenFailed.KEEP_ALL && isOfRunningApplication(settings.sources(WHEN_FAILED))
                        ? ExhaustionAction.DEAD_LETTER
                        : ExhaustionAction.RETHROW;
            case ON_EXHAUSTION ->
                whenFailed == WhenFailed.DELETE ? ExhaustionAction.RETHROW : ExhaustionAction.DEAD_LETTER;
            case ON_FAILURE, OUTBOX ->
                switch (whenFailed) {
                    // A stored call is kept unless it is discarded.
                    case INHERIT, KEEP -> ExhaustionAction.RETHROW;
                    case KEEP_ALL -> ExhaustionAction.DEAD_LETTER;
                    case DELETE -> ExhaustionAction.DISCARD;
                };
        };
    }

    private static boolean isOfRunningApplication(List<SettingSource> sources) {
        SettingSource source = sources.get(0);
        return source.isOperator() || source.kind() == SettingSource.Kind.CALL;
    }

    @Override
    public String name() {
        return "durable";
    }

    @Override
    public Class<? extends Annotation> annotation() {
        return Durable.class;
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                MODE, LANE, UNIQUE_KEY, ORDER_KEY, ORDER_GROUP, WHEN_BLOCKED, INITIAL_DELAY, WHEN_FAILED, PAUSED);
    }

    @Override
    public List<Setting<String>> keys() {
        return List.of(UNIQUE_KEY, ORDER_KEY);
    }

    @Override
    public Storing storing(EffectiveSettings settings) {
        return switch (mode(settings)) {
            case INHERIT, OFF -> Storing.NONE;
            case ON_EXHAUSTION -> Storing.FAILED_CALLS;
            case ON_FAILURE -> Storing.RETRIES;
            case OUTBOX -> Storing.ALL_CALLS;
        };
    }

    @Override
    public boolean needsNoExceptions(EffectiveSettings settings) {
        return switch (mode(settings)) {
            case ON_EXHAUSTION, OUTBOX -> true;
            case ON_FAILURE, INHERIT -> exhaustion(settings) == ExhaustionAction.DEAD_LETTER;
            // A layer has turned a mode off that may need none. The defaults turn nothing off.
            case OFF ->
                exhaustion(settings) == ExhaustionAction.DEAD_LETTER
                        || (settings.isSet(MODE) && !settings.sources(MODE).contains(SettingSource.DEFAULTS));
        };
    }

    @Override
    public void applyTo(RetryPolicyBuilder policy, EffectiveSettings settings) {
        // A policy that was built programmatically keeps its action unless a layer changes the action.
        if (settings.isSet(MODE) || settings.isSet(WHEN_FAILED)) {
            policy.onExhaustion(exhaustion(settings));
        }
    }

    @Override
    public void check(EffectiveSettings settings, RetryEngine engine, BiConsumer<Setting<?>, String> faults) {
        if (exhaustion(settings) == ExhaustionAction.DEAD_LETTER
                && !settings.sources(keeping(settings)).contains(SettingSource.CODE)
                && engine.deadLetters() == null) {
            faults.accept(
                    keeping(settings), ", but the application has no store for dead letters; configure a DataSource");
        }
        if (!isText(settings, ORDER_KEY)) {
            return;
        }
        EffectiveSettings.Value<DurableMode> mode = settings.value(MODE);
        if (mode != null
                && Set.of(DurableMode.ON_FAILURE, DurableMode.ON_EXHAUSTION).contains(mode.value())) {
            faults.accept(
                    ORDER_KEY,
                    ", but durable.mode is '" + mode.print()
                            + "', whose first attempts run on callers' threads, in any order; use OUTBOX");
        }
        if (isText(settings, UNIQUE_KEY)) {
            faults.accept(
                    ORDER_KEY,
                    ", but the method also has a durable.uniqueKey, and a call that is not stored has no place in the order;"
                            + " use only one of the two");
        }
    }

    /** Returns whether a setting has a text. A placeholder can leave the setting empty. */
    private static boolean isText(EffectiveSettings settings, Setting<String> setting) {
        String text = settings.get(setting);
        return text != null && !text.isEmpty();
    }

    /** Returns the expression of the order key, or {@code null} if calls to the method have no order. */
    public static @Nullable String orderKey(RetriedMethod method) {
        return isText(method.settings(), ORDER_KEY) ? method.settings().get(ORDER_KEY) : null;
    }

    /** Returns the name of the group of order keys, or {@code null} if the method is the group. */
    public static @Nullable String orderGroup(RetriedMethod method) {
        return isText(method.settings(), ORDER_GROUP) ? method.settings().get(ORDER_GROUP) : null;
    }

    @Override
    public @Nullable String misfitWithoutBean(Setting<?> setting, Object value) {
        return setting.equals(MODE) && (value == DurableMode.ON_FAILURE || value == DurableMode.OUTBOX)
                ? "only calls of bean methods can be stored as durable calls"
                : null;
    }

    @Override
    public String selector() {
        return "lanes";
    }

    @Override
    public boolean selects(String value, EffectiveSettings settings) {
        return storing(settings).handsOver() && value.equals(lane(settings));
    }
}
