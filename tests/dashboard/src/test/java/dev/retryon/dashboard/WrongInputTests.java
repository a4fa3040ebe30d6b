// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.retryon.durable.internal.engine.CallStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong input in fields and addresses, and what the page answers: docs/internals/dashboard-input.md has the whole list. */
@Tag("browser")
class WrongInputTests extends BrowserSession {

    @Test
    void aWrongValueIsTiedToItsFieldAndReadOut() {
        visit();
        open("method?name=Payments.charge");
        button("Change a setting…").click();
        Locator value = page.getByLabel("Value");
        Locator lasting = page.getByLabel("For how long");

        for (String wrong : new String[] {"", "   ", "1e9", "<script>", "#{T(java.lang.Runtime)}", "__proto__", "-1"}) {
            value.fill(wrong);
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog [role=alert]")).containsText("maxAttempts");
            assertThat(value).hasAttribute("aria-invalid", "true");
            assertThat(value).isFocused();
            assertThat(value).hasAttribute("aria-describedby", "field-value-hint confirm-problem");
        }

        value.fill("2");
        lasting.fill("30");
        page.keyboard().press("Enter");
        assertThat(page.locator("dialog [role=alert]")).containsText("for is '30', but must be a duration with a unit");
        assertThat(lasting).isFocused();
        assertThat(lasting).hasAttribute("aria-invalid", "true");
        assertThat(value).not().hasAttribute("aria-invalid", "true");
        nothingIsWrong();
    }

    @Test
    void laterWithoutATimeIsNotNow() {
        visit();
        DashboardApplication.put(context.getBean(CallStore.class), 0, 1, "Mails.send", "java.io.IOException", "down");
        open("call?id=letter-000000");
        button("Resend later…").click();
        Locator delay = page.getByLabel("Delay");

        for (String wrong : new String[] {"", "30"}) {
            delay.fill(wrong);
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog [role=alert]"))
                    .containsText("delay is '" + wrong + "', but must be a duration with a unit");
            assertThat(delay).hasAttribute("aria-invalid", "true");
        }
        nothingIsWrong();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "backoff | sideways | backoff is 'sideways', but must be one of",
                "budget | nobodys | budget is 'nobodys', but must be",
                "recover | nowhere | recover is 'nowhere', but method 'nowhere' does not exist",
                "onlyIf | #{true} | but must be written without #{…}: 'true'",
                "maxDelay | 1ms | but must not be below delay, which is '20ms'",
            })
    void whatIsWrongForAMethodIsTiedToTheValueToo(String setting, String wrong, String words) {
        visit();
        open("method?name=Payments.charge");
        button("Change a setting…").click();
        page.locator("#field-setting").selectOption(setting);
        Locator value = page.getByLabel("Value");

        value.fill(wrong);
        page.locator("dialog button[type=submit]").click();

        assertThat(page.locator("dialog [role=alert]")).containsText(words);
        assertThat(value).hasAttribute("aria-invalid", "true");
        assertThat(value).isFocused();
        nothingIsWrong();
    }

    @Test
    void aRateIsJudgedAsItWasTyped() {
        visit();
        DashboardApplication.put(context.getBean(CallStore.class), 0, 3, "Mails.send", "java.io.IOException", "down");
        open("calls?state=dead");
        button("Discard all 3 dead letters…").click();
        Locator rate = page.getByLabel("Maximum per second");

        for (String wrong : new String[] {"P400Y", "NaN", "0.5", "-1", "1e9"}) {
            rate.fill(wrong);
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog [role=alert]"))
                    .containsText("maxPerSecond is '" + wrong + "', but must be a whole number from 1 to 10000");
            assertThat(rate).hasAttribute("aria-invalid", "true");
        }
        nothingIsWrong();
    }

    @Test
    void aLongReasonStaysInThePage() {
        visit();
        DashboardApplication.put(context.getBean(CallStore.class), 0, 1, "Mails.send", "java.io.IOException", "down");
        open("call?id=letter-000000");
        button("Discard…").click();

        page.getByLabel("Reason").fill("x".repeat(10_000));
        page.keyboard().press("Enter");

        assertThat(page.locator("main li").last()).containsText("xxx");
        assertThat((Boolean) page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
                .isTrue();
        nothingIsWrong();
    }

    @Test
    void ofALongValueTheRuleCanBeSeen() {
        visit();
        open("method?name=Payments.charge");
        button("Change a setting…").click();

        page.getByLabel("Value").fill("x".repeat(10_000));
        page.keyboard().press("Enter");

        Locator problem = page.locator("dialog [role=alert]");
        assertThat(problem).containsText("but must be a whole number");
        assertThat(problem.textContent()).hasSizeLessThan(700);
        nothingIsWrong();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "method | This address does not contain a name.",
                "method?name=nobody | No retry is named 'nobody'",
                "call | This address does not contain a call id",
                "calls?age=over7d | No call matches this filter. Enter the complete name of a method or error; the text"
                        + " filter also matches parts of words.",
                "calls?age=-1 | age is '-1', but must be one of 1h, 24h, 7d, over1d, over7d. All ages are shown.",
                "calls?state=nonsense | state is 'nonsense', but must be one of dead, waiting, done, all. Dead letters are"
                        + " shown.",
                "calls?state=dead&lane=mail | No call matches this filter.",
                "call?id=nobody | No stored call has the id 'nobody'. The call might have succeeded or been deleted.",
            })
    void anAddressThatIsWrongIsAnsweredInWords(String view, String words) {
        visitReadOnly();
        DashboardApplication.put(context.getBean(CallStore.class), 0, 1, "Mails.send", "java.io.IOException", "down");

        open(view);

        assertThat(page.locator("main")).containsText(words);
        nothingIsWrong();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "call?id=%25zz | The server rejected the request (400)",
                "method?name=a%2Fb%5Cc | The server rejected the request (400)",
            })
    void whatTheServerRefusesIsSaidWhereTheConnectionIs(String view, String words) {
        visitReadOnly();

        page.navigate(Shops.address(context) + "#" + view);

        assertThat(page.locator("#connection")).containsText(words);
        assertThat(page.locator("#connection")).not().containsText("The page shows the last data received");
    }

    @Test
    void aTextThatIsTooLongForAnAddressIsSaidToBe() {
        visitReadOnly();
        open("calls?state=dead");

        page.getByLabel("Text").fill("x".repeat(10_000));
        button("Filter").click();

        assertThat(page.locator("#connection")).containsText("too long");
        assertThat(page.locator("main .list")).isHidden();
        assertThat((Boolean) page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
                .isTrue();
    }
}
