// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.retryon.durable.internal.engine.CallStore;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a screen reader reads out, and where the focus is. */
@Tag("browser")
class ScreenReaderTests extends BrowserSession {

    @Test
    void buttonsInTablesSayWhatTheyAreFor() {
        visit();
        open("overview");

        assertThat(button("Switch off… policy calm")).isVisible();
        assertThat(button("Change a setting… policy calm")).isVisible();
        assertThat(button("Switch off… budget gateway")).isVisible();
        nothingIsWrong();
    }

    @Test
    void aDialogIsReadOutWithWhatWillHappen() {
        visit();
        open("method?name=Payments.charge");

        button("Switch retries off…").click();

        assertThat(page.locator("dialog")).hasAccessibleName("Switch off the retries of Payments.charge");
        assertThat(page.locator("dialog"))
                .hasAccessibleDescription(Pattern.compile("First attempts still run.*only to this node"));
        nothingIsWrong();
    }

    @Test
    void refreshesAreNotReadOut() {
        visit();
        CallStore store = context.getBean(CallStore.class);
        DashboardApplication.put(store, 0, 3, "Mails.send", "java.io.IOException", "down");
        open("calls?state=dead");
        assertThat(page.locator(".heading [role=status]")).hasText("3 calls");
        page.evaluate("""
                () => {
                  window.readOut = [];
                  const watch = new MutationObserver(all => all.forEach(one => readOut.push(one.target.textContent)));
                  document.querySelectorAll('[role=status], [role=alert], [aria-live]')
                    .forEach(live => watch.observe(live, {childList: true, subtree: true, characterData: true}));
                }""");

        for (int i = 0; i < 3; i++) {
            page.waitForResponse(response -> response.url().contains("retryoncalls"), this::refresh);
        }
        DashboardApplication.put(store, 3, 4, "Mails.send", "java.io.IOException", "down");
        refresh();
        assertThat(page.locator(".heading [role=status]")).hasText("4 calls");

        assertThat(page.evaluate("() => readOut").toString()).isEqualTo("[4 calls]");
        nothingIsWrong();
    }

    @Test
    void theFocusStaysWhereItWasOrGoesToTheBeginning() {
        visit();
        open("method?name=Payments.charge");

        Locator change = button("Change a setting…");
        change.focus();
        page.keyboard().press("Enter");
        assertThat(page.locator("#field-setting")).isVisible();
        page.getByLabel("Value").fill("2");
        page.keyboard().press("Enter");

        // The buttons are others now: one takes the change back.
        assertThat(button("Revert changes…")).isVisible();
        assertThat(button("Change a setting…")).isFocused();
        button("Revert changes…").focus();
        page.keyboard().press("Enter");
        page.locator("dialog button[type=submit]").press("Enter");
        assertThat(button("Revert changes…")).hasCount(0);
        assertThat(page.locator("#main")).isFocused();
        nothingIsWrong();
    }
}
