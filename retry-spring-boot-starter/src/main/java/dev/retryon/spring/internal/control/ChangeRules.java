// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.internal.policy.MethodUpdates;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings that operators can change while the application runs. */
final class ChangeRules {

    /** Settings that are fixed when the application starts. */
    static final Set<Setting<?>> FIXED = Set.of(Setting.DURABLE, Setting.LANE, Setting.UNIQUE_KEY);

    private final RetriedMethods methods;

    private final StandaloneSwitches others;

    private final MethodUpdates updates;

    ChangeRules(RetriedMethods methods, StandaloneSwitches others, MethodUpdates updates) {
        this.methods = methods;
        this.others = others;
        this.updates = updates;
    }

    /** The settings of a change with others on top; throws IllegalArgumentException with all that is wrong with them. */
    static RetrySettings changed(@Nullable RuntimeChange before, Map<String, @Nullable String> values) {
        Map<String, Setting<?>> known = new TreeMap<>();
        Stream.concat(Setting.all().stream(), Stream.of(Setting.PAUSED))
                .filter(setting -> !setting.addsUp() && !FIXED.contains(setting))
                .forEach(setting -> known.put(setting.attribute(), setting));
        List<String> wrong = new ArrayList<>();
        RetrySettings.Builder settings = RetrySettings.builder();
        values.forEach((attribute, text) -> {
            Setting<?> setting = known.get(attribute);
            if (setting == null) {
                wrong.add("'" + attribute + "' can't be changed while the application runs; use one of "
                        + new TreeSet<>(known.keySet()));
            } else if (text != null && text.isBlank()) {
                wrong.add(attribute + " is '" + text + "', but must have a value; send null to revert its change");
            } else if (text != null) {
                settings.read(setting, text, wrong::add);
            }
        });
        if (before != null) {
            before.settings().values().keySet().stream()
                    .filter(setting -> !values.containsKey(setting.attribute()))
                    .forEach(setting -> settings.copy(setting, before.settings()));
        }
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", wrong));
        }
        return settings.build();
    }

    /** Throws IllegalArgumentException if the target does not exist, or if these settings of it can't be changed. */
    void requireKnown(RuntimeChange.Target target, Set<String> attributes) {
        RuntimeChange.Scope scope = target.scope();
        String name = target.name();
        Collection<String> known = switch (scope) {
            case ALL -> Set.of("");
            case POLICY -> updates.configured().policies().keySet();
            case BUDGET -> names(method -> method.settings().get(Setting.BUDGET), others.budgets());
            case LANE -> names(method -> method.isDurable() ? method.lane() : null, Set.of());
            case NAME -> names(RetriedMethod::name, others.names());
        };
        if (!known.contains(name)) {
            String what = switch (scope) {
                case POLICY -> "policy '" + name + "' under retryon.policies";
                case BUDGET -> "retried method with the budget '" + name + "'";
                case LANE -> "durable method in the lane '" + name + "'";
                default -> "retried method with the name '" + name + "'";
            };
            throw new IllegalArgumentException("there is no " + what);
        }
        if (scope != RuntimeChange.Scope.NAME) {
            return;
        }
        List<RetriedMethod> named = methods.named(name);
        if (named.isEmpty() && !attributes.equals(Set.of(Setting.RETRYABLE.attribute()))) {
            throw new IllegalArgumentException("of '" + name
                    + "', which is not a method of a bean, only retryable can be changed while the application runs");
        }
        if (attributes.contains(Setting.PAUSED.attribute()) && named.stream().noneMatch(RetriedMethod::isDurable)) {
            throw new IllegalArgumentException("'" + name + "' can't be paused, because it is not durable; to end its"
                    + " retries, set retryable to false");
        }
    }

    private Set<String> names(Function<RetriedMethod, @Nullable String> of, Set<String> ofOthers) {
        Set<String> names = new TreeSet<>(ofOthers);
        for (RetriedMethod method : methods.all()) {
            String name = of.apply(method);
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }
}
