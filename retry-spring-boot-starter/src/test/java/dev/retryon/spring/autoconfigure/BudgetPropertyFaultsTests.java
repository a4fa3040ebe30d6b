// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.StockService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What Spring Boot prints about faults in {@code retryon.budgets}. */
@ExtendWith(OutputCaptureExtension.class)
class BudgetPropertyFaultsTests {

    private final CapturedOutput output;

    BudgetPropertyFaultsTests(CapturedOutput output) {
        this.output = output;
    }

    private String failure(String title, String yaml) {
        return BootRun.of(title, yaml, StockService.class)
                        .failure(output)
                        .replace("class path resource [application.yml] - ", "@")
                + "\n";
    }

    @Test
    void unknownKeysAreAnsweredWithTheRightOnes() {
        assertThat(failure("unknown keys of a budget", """
                        retryon:
                          budgets:
                            ratio: 0.5
                            gateway:
                              windw: 5s
                            stock:
                              ratio: 0.5
                              min-per-secnd: 5
                              max-attempts: 5
                              window:
                                size: 5s
                        """)).isEqualTo("""
                        Description:

                        The retry configuration has 3 faults:

                          - retryon.budgets.ratio (@3:12)
                              is '0.5', but must be a block of properties

                          - retryon.budgets.gateway.windw (@5:14)
                              is not a property; did you mean 'retryon.budgets.gateway.window'?

                          - retryon.budgets.stock.min-per-secnd (@8:22)
                              is not a property; did you mean 'retryon.budgets.stock.min-per-second'?

                        Action:

                        Correct the properties named above.
                        """);
    }

    @Test
    void aPercentageIsNoRatio() {
        assertThat(failure("ratio of a budget in percent", """
                        retryon:
                          budgets:
                            stock:
                              ratio: 150%
                        """))
                .contains("retryon.budgets.stock.ratio (@4:14)\n" + "      is '150%', but must be a number\n");
    }

    @Test
    void eachValueOutOfBoundsIsReportedWithItsLine() {
        assertThat(failure("budget out of bounds", """
                        retryon:
                          budgets:
                            stock:
                              window: 2h
                              min-per-second: -1
                              ratio: 1001
                        """)).isEqualTo("""
                        Description:

                        The retry configuration has 3 faults:

                          - retryon.budgets.stock.ratio (@6:14)
                              ratio is '1001.0', but must be between 0 and 1000

                          - retryon.budgets.stock.min-per-second (@5:23)
                              minPerSecond is '-1', but must not be negative

                          - retryon.budgets.stock.window (@4:15)
                              window is '2h', but must be between 1s and 1h

                        Action:

                        Correct the properties named above.
                        """);
    }
}
