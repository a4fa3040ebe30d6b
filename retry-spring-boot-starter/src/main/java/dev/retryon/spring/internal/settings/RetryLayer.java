// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryFault;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one source, with the faults that count only if a method of this application has these settings.
 * Placeholders are texts by their values, which may be secrets.
 */
public record RetryLayer(
        SettingSource source, RetrySettings settings, List<RetryFault> faults, Map<String, String> placeholders) {

    public RetryLayer(SettingSource source, RetrySettings settings) {
        this(source, settings, List.of(), Map.of());
    }

    /** This layer without some settings. */
    public RetryLayer without(Predicate<Setting<?>> some) {
        RetrySettings.Builder left = RetrySettings.builder();
        settings.values().keySet().stream().filter(some.negate()).forEach(setting -> left.copy(setting, settings));
        return new RetryLayer(source, left.build(), faults, placeholders);
    }

    /** This layer, with the values that some settings have in another one. */
    RetryLayer keeping(Set<Setting<?>> fixed, @Nullable RetryLayer before) {
        RetrySettings.Builder kept = RetrySettings.builder();
        settings.values().keySet().stream()
                .filter(setting -> !fixed.contains(setting))
                .forEach(setting -> kept.copy(setting, settings));
        if (before != null) {
            before.settings.values().keySet().stream()
                    .filter(fixed::contains)
                    .forEach(setting -> kept.copy(setting, before.settings));
        }
        return new RetryLayer(source, kept.build(), faults, placeholders);
    }

    /**
     * Layers of a retry, with the values that some settings have in its previous layers. Not only blocks of properties change, but
     * also placeholders in annotations, which can name another policy.
     */
    public static List<RetryLayer> keeping(Set<Setting<?>> fixed, List<RetryLayer> layers, List<RetryLayer> before) {
        List<RetryLayer> kept = only(fixed, before);
        return only(fixed, layers).equals(kept)
                ? layers
                : Stream.concat(kept.stream(), layers.stream().map(layer -> layer.without(fixed::contains)))
                        .toList();
    }

    private static List<RetryLayer> only(Set<Setting<?>> fixed, List<RetryLayer> layers) {
        return layers.stream()
                .map(layer -> layer.without(setting -> !fixed.contains(setting)))
                .filter(layer -> !layer.settings.isEmpty())
                .toList();
    }

    /** The types that this layer lists, or has a rule for, as a new set. */
    public Set<Class<? extends Throwable>> listedTypes() {
        Map<ErrorKey, RetrySettings> rules = settings.get(Setting.ERRORS);
        return ErrorKey.types(settings.get(Setting.EXCEPTIONS), rules == null ? Set.of() : rules.keySet());
    }

    public static RetryLayer of(RetryPolicy policy) {
        RetrySettings.Builder settings = RetrySettings.builder();
        Setting.all().forEach(setting -> copy(setting, policy, settings));
        policy.errorRules()
                .forEach((error, rule) -> settings.onError(
                        ErrorKey.ofCode(error),
                        shown -> Setting.ofRules().forEach(setting -> copy(setting, rule, shown))));
        return new RetryLayer(SettingSource.CODE, settings.build());
    }

    private static <T> void copy(Setting<T> setting, RetryPolicy policy, RetrySettings.Builder into) {
        into.accept(setting, setting.of(policy), fault -> {});
    }
}
