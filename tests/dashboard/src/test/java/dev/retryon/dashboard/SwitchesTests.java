// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.retryon.spring.internal.control.RuntimeSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Changes of settings, on the view "Overview" and on that of a method. */
@Tag("browser")
class SwitchesTests extends BrowserSession {

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void switchesRetriesOffAndOnAgain(WebApplicationType stack) throws Exception {
        logIn(stack);
        open("method?name=Payments.charge");
        assertThat(page.locator(".schedule tbody tr")).hasCount(3);

        button("Switch retries off…").click();
        assertThat(page.locator("dialog")).containsText("Waiting calls end now");
        page.getByLabel("For how long").fill("soon");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator("dialog [role=alert]")).containsText("must be a duration");
        page.getByLabel("For how long").fill("30m");
        confirm();

        assertThat(page.locator(".notice.warn")).containsText("are switched off");
        assertThat(page.locator(".heading")).containsText("switched off");
        assertThat(page.locator("strong.operator")).containsText("by operator");
        assertThat(button("Switch retries off…")).hasCount(0);
        button("Revert changes…").click();
        confirm();
        assertThat(page.locator("strong.operator")).hasCount(0);

        button("Change a setting…").click();
        page.locator("dialog select").first().selectOption("retryable");
        page.getByLabel("Value").fill("false");
        confirm();
        assertThat(page.locator(".notice.warn").filter(new Locator.FilterOptions().setHasText("retryable of")))
                .isVisible();
        nothingIsWrong();
    }

    @Test
    void switchesAPolicyOffOnAllNodes() throws Exception {
        String[] settings = {
            "--management.endpoint.retryon.access=unrestricted",
            "--spring.autoconfigure.exclude=",
            "--spring.datasource.url=jdbc:h2:mem:nodes;DB_CLOSE_DELAY=-1",
            "--retryon.durable.store=auto",
            "--retryon.jdbc.shared-settings.enabled=true",
            "--retryon.jdbc.shared-settings.poll-interval=100ms",
            "--retryon.policies.calm.delay=2s"
        };
        start(WebApplicationType.SERVLET, settings);
        try (ConfigurableApplicationContext other = shops.start(WebApplicationType.SERVLET, settings)) {
            open("overview");
            Locator policy = page.locator("tr").filter(new Locator.FilterOptions().setHasText("calm"));

            policy.getByText("Switch off…").click();
            assertThat(page.locator("dialog")).containsText("other nodes apply it within seconds");
            page.getByLabel("Where").selectOption("all");
            confirm();
            refresh();

            assertThat(page.locator(".changes")).containsText("policies/calm: for all nodes retryable = false");
            awaitChanges(other, 1);
            page.navigate(Shops.address(other) + "#overview");
            assertThat(page.locator(".changes")).containsText("policies/calm: for all nodes retryable = false");
            button("Revert… policies/calm").click();
            assertThat(page.locator("dialog")).containsText("no longer applies on all nodes");
            confirm();
            refresh();
            assertThat(page.locator(".changes")).hasCount(0);
            awaitChanges(context, 0);
            page.navigate(Shops.address(context) + "#overview");
            assertThat(page.locator(".methods tbody tr")).hasCount(3);
            assertThat(page.locator(".changes")).hasCount(0);

            policy.getByText("Change a setting…").click();
            page.getByLabel("Value").fill("1");
            confirm();
            refresh();
            assertThat(page.locator(".changes")).containsText("policies/calm: maxAttempts = 1");
            hosts.removeIf(Shops.address(other)::startsWith);
        }
        nothingIsWrong();
    }

    /** Of a change for one node, the page asks that node to revert it. */
    @Test
    void aRevertThatReachesAnotherNodeChangesNothing() {
        visit();
        open("overview");
        button("Switch off all retries…").click();
        confirm();
        refresh();
        page.route(
                "**/retryon?node=*",
                route -> route.resume(
                        new Route.ResumeOptions().setUrl(route.request().url().replaceAll("node=.*", "node=other:7"))));
        button("Revert… everything").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator("dialog [role=alert]"))
                .containsText("this request is for node 'other:7', but reached node '"
                        + page.locator("#node").innerText() + "', so nothing was changed");
        page.unroute("**/retryon?node=*");
        confirm();
        refresh();
        assertThat(page.locator(".changes")).hasCount(0);
        nothingIsWrong();
    }

    /** A node reads changes of other nodes at an interval. */
    private static void awaitChanges(ConfigurableApplicationContext node, int count) {
        await().until(() -> node.getBean(RuntimeSettings.class).changes().size() == count);
    }

    @Test
    void isOperatedByKeyboardAlone() throws Exception {
        visit();
        open("overview");
        assertThat(page.locator(".methods tbody tr").first()).isVisible();

        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Switch off all retries…"))
                .focus();
        page.keyboard().press("Enter");
        assertThat(page.locator("dialog")).isVisible();
        page.keyboard().press("Escape");
        assertThat(page.locator("dialog")).hasCount(0);
        assertThat(page.locator("main button").first()).isFocused();
        page.keyboard().press("Enter");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(page.locator("dialog")).hasCount(0);
        refresh();
        assertThat(page.locator(".changes")).containsText("everything: retryable = false");
        nothingIsWrong();
    }
}
