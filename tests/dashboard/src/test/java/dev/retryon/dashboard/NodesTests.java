// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.module.NodeName;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The list of the processes of the application. */
@Tag("browser")
class NodesTests extends BrowserSession {

    @TempDir
    private Path folder;

    /** Nodes that share a database. */
    private String[] node(String... more) {
        return Stream.concat(
                        Stream.of(
                                "--spring.autoconfigure.exclude=",
                                "--spring.datasource.url=jdbc:sqlite:" + folder.resolve("calls.db"),
                                "--retryon.jdbc.initialize-schema=always",
                                "--retryon.durable.store=auto",
                                "--retryon.durable.heartbeat-interval=500ms"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    private Locator nodes() {
        return page.getByLabel("Nodes").locator("tbody tr");
    }

    private JdbcClient jdbc() {
        RetryStore store = context.getBean(StoreChoice.class).get();
        return store.jdbc();
    }

    @Test
    void listsTheVersionsAndThreadsOfNodesAndThoseThatAreNotSeen() {
        start(WebApplicationType.SERVLET, node("--spring.application.version=2.1"));
        jdbc().sql(
                        "insert into retryon_node (application, id, name, version, methods, lanes, started_at, seen_at, expires_at)"
                                + " select application, 'killed', :name, '2.1', '', '2/4 default', 0, seen_at - 60000, seen_at - 50000"
                                + " from retryon_node")
                .param("name", DashboardApplication.HOSTILE.substring(0, 60))
                .update();
        try (ConfigurableApplicationContext other = shops.start(
                WebApplicationType.SERVLET, node("--spring.application.version=2.0", "--retryon.durable.threads=0"))) {
            page.setViewportSize(1280, 900);
            open("calls?state=waiting");

            assertThat(nodes()).hasCount(3);
            Locator mine = row("this process");
            assertThat(mine).containsText(NodeName.get());
            assertThat(mine.locator("td")).containsText(new String[] {"running", "0 of 5", "2.1", "ago"});
            Locator storing = row("no threads");
            assertThat(storing.locator("td")).containsText(new String[] {"running", "no threads", "2.0", "ago"});
            Locator killed = row("not seen");
            assertThat(killed.locator("td")).containsText(new String[] {
                "the process was killed or cannot reach the database", "2 of 4", "2.1", "1 m"
            });
            assertThat(page.locator("main")).containsText("mixed versions 2.0, 2.1");
            for (ColorScheme scheme : ColorScheme.values()) {
                page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
                audit("nodes " + scheme);
            }
            page.setViewportSize(360, 800);
            audit("nodes 360");
        }
        refresh();
        assertThat(nodes()).hasCount(2);
        assertThat(page.locator("main")).not().containsText("mixed versions");
        nothingIsWrong();
    }

    private Locator row(String text) {
        return nodes().filter(new Locator.FilterOptions().setHasText(text));
    }
}
