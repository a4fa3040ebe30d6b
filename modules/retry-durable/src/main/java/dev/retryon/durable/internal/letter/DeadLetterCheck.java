// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.ExhaustionAction;
import dev.retryon.durable.internal.invocation.StoredArguments;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.Setting;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;

/** Finds methods whose failed calls cannot be stored. The store is opened only if a method needs it. */
public final class DeadLetterCheck implements MethodsCheck {

    private final Supplier<DeadLetterOffice.Parts> parts;

    private final Supplier<? extends @Nullable StoredArguments> arguments;

    public DeadLetterCheck(
            Supplier<DeadLetterOffice.Parts> parts, Supplier<? extends @Nullable StoredArguments> arguments) {
        this.parts = parts;
        this.arguments = arguments;
    }

    @Override
    public void check(List<RetriedMethod> methods, RetryFaults faults) {
        List<RetriedMethod> kept = methods.stream()
                .filter(method -> method.policy().onExhaustion() == ExhaustionAction.DEAD_LETTER)
                .toList();
        if (kept.isEmpty()) {
            return;
        }
        StoredArguments stored = arguments.get();
        if (stored == null) {
            kept.forEach(method ->
                    refuse(method, "a dependency is missing; add tools.jackson.core:jackson-databind", faults));
            return;
        }
        kept.forEach(method -> checkArguments(method, stored, faults));
        openStore(faults);
    }

    private static void checkArguments(RetriedMethod method, StoredArguments arguments, RetryFaults faults) {
        arguments.faults(method.beanClass(), method.method()).forEach(problem -> refuse(method, problem, faults));
        for (String warning : arguments.warnings(method.beanClass(), method.method())) {
            faults.warn(RetryWarning.ARGUMENT, place(method) + ": " + warning);
        }
    }

    private static void refuse(RetriedMethod method, String problem, RetryFaults faults) {
        Setting<?> keeping = DurableGroup.keeping(method.settings());
        faults.add(
                place(method),
                keeping + " is '" + Setting.print(method.settings().require(keeping)) + "', but " + problem);
    }

    private static Place place(RetriedMethod method) {
        return method.settings().place(DurableGroup.keeping(method.settings()));
    }

    private void openStore(RetryFaults faults) {
        try {
            String missing = parts.get().store().get().missingRight();
            if (missing != null) {
                faults.add(
                        "retryon.durable.store",
                        "selects a database whose user lacks privileges that dead letters need: " + missing);
            }
        } catch (BeansException ex) {
            if (ex.getRootCause() instanceof RetryConfigurationException wrong) {
                wrong.faults().forEach(faults::add);
            } else {
                throw ex;
            }
        }
    }
}
