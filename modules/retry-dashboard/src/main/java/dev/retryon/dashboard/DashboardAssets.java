// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.MediaTypeFactory;
import org.springframework.util.MimeType;

/** The files of the dashboard, read once. Their addresses contain the version, so browsers may cache files without limit. */
final class DashboardAssets {

    /** The files of the page. No other file of the class path can be requested. */
    static final List<String> FILES = List.of(
            "app.js",
            "call-actions.js",
            "call-list.js",
            "call.js",
            "calls.js",
            "charts.js",
            "dialog.js",
            "elements.js",
            "endpoints.js",
            "hours.js",
            "icon.svg",
            "lanes.js",
            "method.js",
            "methods.js",
            "nodes.js",
            "overview.js",
            "settings.js",
            "stored.js",
            "style.css",
            "task.js",
            "text.js");

    private final Map<String, byte[]> files = new LinkedHashMap<>();

    private final String page;

    private final String version;

    DashboardAssets() {
        MessageDigest digest = digest();
        for (String name : FILES) {
            byte[] content = read(name);
            files.put(name, content);
            digest.update(content);
        }
        this.page = new String(read("index.html"), StandardCharsets.UTF_8);
        this.version = HexFormat.of().formatHex(digest.digest(), 0, 8);
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static byte[] read(String name) {
        try {
            return new ClassPathResource(name, DashboardAssets.class).getContentAsByteArray();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    String version() {
        return version;
    }

    String page() {
        return page;
    }

    @Nullable Resource file(String version, String name) {
        byte[] content = version.equals(this.version) ? files.get(name) : null;
        return content == null ? null : new ByteArrayResource(content);
    }

    static MimeType typeOf(String name) {
        MediaType type = MediaTypeFactory.getMediaType(name).orElse(MediaType.TEXT_PLAIN);
        return new MimeType(type, StandardCharsets.UTF_8);
    }
}
