// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.engine;

import dev.retryon.benchmarks.call.Scenario;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EngineTests {

    static Stream<Arguments> everyCall() {
        return Stream.of(Engine.values())
                .flatMap(engine -> Stream.of(Scenario.values()).map(scenario -> Arguments.of(engine, scenario)));
    }

    @ParameterizedTest
    @MethodSource("everyCall")
    void makesTheAttemptsOfTheScenario(Engine engine, Scenario scenario) {
        engine.call(scenario);
    }
}
