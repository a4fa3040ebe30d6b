// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.retryon.Retry;
import dev.retryon.spring.RetryRegistry;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** The view "Now". */
@Tag("browser")
class NowTests extends BrowserSession {

    @Test
    void showsWhatIsInTroubleFirstAndWhy() throws Exception {
        showTrouble(WebApplicationType.SERVLET);
    }

    @Test
    @Tag("endurance")
    void showsWhatIsInTroubleFirstAndWhyOnWebFlux() throws Exception {
        showTrouble(WebApplicationType.REACTIVE);
    }

    private void showTrouble(WebApplicationType stack) throws Exception {
        start(stack);
        // More names than the page builds rows for at once.
        DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 100);
        page.clock().install();
        open("now");
        assertThat(page.locator(".names tbody tr")).hasCount(103);
        assertThat(page.locator(".names tbody tr").first()).not().containsText("failing");

        Shops.trouble(context);
        page.clock().fastForward(5_000);

        // without a reload
        assertThat(page.locator(".names tbody tr").first()).containsText("failing");
        assertThat(page.locator(".names tbody tr").first()).containsText("Payments.charge");
        assertThat(page.locator(".figure dt")).hasText(new String[] {
            "names failing", "names retrying", "calls waiting here", "stored calls", "retries denied", "dead letters"
        });
        assertThat(figure("names failing")).containsText("2");
        assertThat(page.locator("section").filter(new Locator.FilterOptions().setHasText("Why attempts failed")))
                .containsText("gave up: exhausted");
        Locator causes = page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Why attempts failed"));
        assertThat(causes.getByText("Payments.charge").first()).isVisible();
        assertThat(causes.getByText("Mails.send").first()).isVisible();
        assertThat(page.locator(".names .spark canvas").first()).isVisible();
        nothingIsWrong();
    }

    @Test
    void countsStoredCallsApartFromThoseThatWaitInMemory() throws Exception {
        visit();
        context.getBean(DashboardApplication.Outside.class).down = true;
        context.getBean(DashboardApplication.Invoices.class).dispatch("ann@shop.example", "secret");

        open("now");

        assertThat(figure("calls waiting here")).containsText("0");
        assertThat(figure("stored calls")).containsText("1");
        figure("stored calls").getByRole(AriaRole.LINK).click();
        assertThat(page.locator("main h1")).hasText("Retrying");
        nothingIsWrong();
    }

    private Locator figure(String name) {
        return page.locator(".figure").filter(new Locator.FilterOptions().setHasText(name));
    }

    @Test
    void aNameBreaksBetweenItsWords() throws Exception {
        visit();
        String name = "SubscriptionRenewalReminderService.sendAllRemindersOfPartnersInEuropeBeforeTheirContractsEnd";
        Retry retry = context.getBean(RetryRegistry.class).retry(name, DashboardApplication.twice());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> retry.call(() -> {
                    throw new IOException("down");
                }));
        page.setViewportSize(1280, 800);
        open("now");
        Locator names = page.locator(".names tbody th").filter(new Locator.FilterOptions().setHasText(name));
        assertThat(names).isVisible();
        assertThat(page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Why attempts failed")))
                .containsText(name);

        Object broken = page.evaluate("() => { const found = [], range = document.createRange();"
                + " const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);"
                + " while (texts.nextNode()) { range.selectNodeContents(texts.currentNode);"
                + " if (!/\\s/.test(range.toString()) && range.getClientRects().length > 1) found.push(range.toString()); }"
                + " return found; }");

        assertThat((List<?>) broken).isEmpty();
        nothingIsWrong();
    }
}
