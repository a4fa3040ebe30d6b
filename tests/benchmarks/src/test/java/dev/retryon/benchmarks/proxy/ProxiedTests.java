// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.benchmarks.call.Scenario;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.support.AopUtils;

class ProxiedTests {

    private static final Map<Proxied, ProxyContext> CONTEXTS = new EnumMap<>(Proxied.class);

    @BeforeAll
    static void start() {
        ProxyContext context = ProxyContext.startFor(Proxied.PLAIN);
        for (Proxied proxied : Proxied.values()) {
            boolean own = proxied.hasMetrics() || proxied.isWoven() || proxied.isKept();
            CONTEXTS.put(proxied, own ? ProxyContext.startFor(proxied) : context);
        }
    }

    @AfterAll
    static void close() {
        CONTEXTS.values().stream().distinct().forEach(ProxyContext::close);
    }

    static Stream<Arguments> callsThatAreMeasured() {
        return Stream.of(Proxied.values())
                .flatMap(proxied -> Stream.of(Scenario.values())
                        .filter(scenario -> fits(proxied, scenario))
                        .map(scenario -> Arguments.of(proxied, scenario)));
    }

    private static boolean fits(Proxied proxied, Scenario scenario) {
        return switch (proxied) {
            case PLAIN, EMPTY -> scenario == Scenario.SUCCEED || scenario == Scenario.REFUSE;
            case EMPTY_TRANSACTIONAL -> scenario == Scenario.SUCCEED;
            case HAND_TRANSACTIONAL, RETRY_ON_TRANSACTIONAL, SPRING_TRANSACTIONAL ->
                scenario == Scenario.SUCCEED || scenario == Scenario.FAIL_TWICE;
            default -> true;
        };
    }

    @ParameterizedTest
    @MethodSource("callsThatAreMeasured")
    void makesTheAttemptsOfTheScenario(Proxied proxied, Scenario scenario) {
        CONTEXTS.get(proxied).call(proxied, scenario);
    }

    @Test
    void noticesACallThatIsNotRetried() {
        assertThatIllegalStateException()
                .isThrownBy(() -> CONTEXTS.get(Proxied.PLAIN).call(Proxied.PLAIN, Scenario.FAIL_TWICE))
                .withMessageContaining("wanted 3 attempts, saw 1");
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"PLAIN", "RETRY_ON_WOVEN"})
    void isTheSameKindOfProxyForAll(Proxied proxied) {
        assertThat(AopUtils.isCglibProxy(CONTEXTS.get(proxied).bean(proxied))).isTrue();
    }

    @Test
    void wovenCallsHaveNoProxy() {
        assertThat(AopUtils.isAopProxy(CONTEXTS.get(Proxied.RETRY_ON_WOVEN).bean(Proxied.RETRY_ON_WOVEN)))
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"HAND_TRANSACTIONAL", "RETRY_ON_TRANSACTIONAL", "SPRING_TRANSACTIONAL"})
    void beginsATransactionForEachAttempt(Proxied proxied) {
        NoTransactions transactions = CONTEXTS.get(proxied).transactions();
        long before = transactions.begun();
        CONTEXTS.get(proxied).call(proxied, Scenario.FAIL_TWICE);
        assertThat(transactions.begun() - before).isEqualTo(3);
    }
}
