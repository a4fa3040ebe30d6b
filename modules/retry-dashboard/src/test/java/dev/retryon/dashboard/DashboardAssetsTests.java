// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.ClassPathResource;

/** The files of the page as contributors read them. */
class DashboardAssetsTests {

    private static final Pattern IMPORT = Pattern.compile("from '\\./([^']+)'");

    static List<String> ownFiles() {
        List<String> files = new ArrayList<>(DashboardAssets.FILES);
        files.removeIf(file -> file.endsWith(".svg"));
        files.add("index.html");
        return files;
    }

    @ParameterizedTest
    @MethodSource("ownFiles")
    void noLineIsLong(String file) throws IOException {
        assertThat(read(file).lines().filter(line -> line.length() > 140)).isEmpty();
    }

    @Test
    void eachModuleIsPreloadedAndImported() throws IOException {
        TreeSet<String> imported = new TreeSet<>();
        for (String file : ownFiles()) {
            Matcher matcher = IMPORT.matcher(read(file));
            while (matcher.find()) {
                imported.add(matcher.group(1));
            }
        }
        String page = read("index.html");

        assertThat(DashboardAssets.FILES).containsAll(imported);
        assertThat(imported).allMatch(file -> page.contains("modulepreload\" href=\"[[assets]]/" + file + '"'));
        assertThat(ownFiles())
                .filteredOn(file -> file.endsWith(".js") && !file.equals("app.js"))
                .containsExactlyElementsOf(imported);
    }

    private static String read(String file) throws IOException {
        return new ClassPathResource(file, DashboardAssets.class).getContentAsString(StandardCharsets.UTF_8);
    }
}
