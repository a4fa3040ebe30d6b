// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;

/** The settings of Resilience4j's retries in all files of one module, and the policies of RetryOn with the same meaning. */
final class Resilience4jModule {

    static final String PREFIX = "resilience4j.retry.";

    private static final String DEFAULT = "default";

    private static final String INSTANCES = "instances.";

    private static final String CONFIGS = "configs.";

    private static final String ALWAYS = "";

    /** The files that Spring Boot reads from the class path. */
    private static final Pattern FILE = Pattern.compile(
            ".*src/(\\w+)/resources/(?:config/)?(?:application|bootstrap)(?:-(.+))?\\.(?:properties|ya?ml)");

    private static final Pattern SETTING = Pattern.compile(
            "resilience4j\\.retry\\.(instances|backends|configs)\\.(?:\\[([^]]+)]|(.+))\\.([^.\\[]+)(?:\\[\\d+])?");

    /** Settings that add other settings, which are not in the module's files. */
    private static final Pattern IMPORT =
            Pattern.compile("spring\\.config\\.(import|additional-location).*|spring\\.cloud\\.(.+\\.)?config\\..*");

    /** The settings with which application code decides whether or when to retry. */
    private static final List<String> BY_CODE =
            List.of("interval-bi-function", "result-predicate", "retry-exception-predicate");

    /** The other settings that RetryOn's policies also have, or do not need. */
    private static final Set<String> KNOWN = Set.of(
            "base-config",
            "max-attempts",
            "wait-duration",
            "enable-exponential-backoff",
            "exponential-backoff-multiplier",
            "exponential-max-wait-duration",
            "enable-randomized-wait",
            "randomized-wait-factor",
            "retry-exceptions",
            "ignore-exceptions",
            "fail-after-max-attempts",
            "event-consumer-buffer-size");

    /** The keys whose values are converted, so that a placeholder cannot be copied. */
    private static final List<String> CONVERTED =
            List.of("base-config", "enable-exponential-backoff", "enable-randomized-wait", "randomized-wait-factor");

    /** The longest wait of RetryOn, whose default is five minutes. */
    private static final String UNLIMITED = "24h";

    private static final Set<String> TRUE = Set.of("true", "on", "yes", "1");

    /** Later documents override earlier ones. */
    private static final Comparator<Document> PRECEDENCE = Comparator.comparing(
                    (Document document) -> document.resource().startsWith("config/"))
            .thenComparing(document -> document.resource().endsWith(".properties"))
            .thenComparing(document -> document.index);

    private final List<Document> documents = new ArrayList<>();

    private final Set<String> moving = new HashSet<>();

    private @Nullable String elsewhere;

    private boolean otherParts;

    /**
     * One document of a file.
     *
     * @param settings the settings by instance or configuration, such as {@code instances.backend}, and key
     */
    private record Document(
            Path file,
            int index,
            boolean test,
            String profile,
            Set<String> names,
            Map<String, Map<String, String>> settings) {

        static Document of(Path file, int index, Matcher path, Map<String, @Nullable String> properties) {
            String profile = path.group(2) == null ? ALWAYS : path.group(2);
            Map<String, Map<String, String>> settings = new LinkedHashMap<>();
            for (Map.Entry<String, @Nullable String> property : properties.entrySet()) {
                String name = property.getKey();
                String value = property.getValue();
                if (name.equals("spring.config.activate.on-profile")
                        || (name.equals("spring.profiles") && value != null)) {
                    profile = String.valueOf(value);
                }
                Matcher setting = SETTING.matcher(name);
                if (value != null && setting.matches()) {
                    String section = setting.group(1).equals("configs") ? CONFIGS : INSTANCES;
                    String retry = setting.group(2) == null ? setting.group(3) : setting.group(2);
                    settings.computeIfAbsent(section + retry, unused -> new LinkedHashMap<>())
                            .merge(kebab(setting.group(4)), value, (first, second) -> first + "," + second);
                }
            }
            boolean test = path.group(1).toLowerCase(Locale.ROOT).contains("test");
            return new Document(file, index, test, profile, properties.keySet(), settings);
        }

        boolean hasOurs() {
            return names.stream().anyMatch(name -> (name + ".").startsWith("retryon.policies."));
        }

        boolean hasAspectOrder() {
            return names.stream().anyMatch(name -> kebab(name).equals(PREFIX + "retry-aspect-order"));
        }

        private String resource() {
            return text(file).replaceAll(".*/resources/", "");
        }
    }

    private static String text(Path file) {
        return file.toString().replace('\\', '/');
    }

    /** Adds the properties of one document; {@code null} is a value without text. Returns whether Spring Boot reads the file. */
    boolean add(Path file, int index, Map<String, @Nullable String> properties) {
        Matcher path = FILE.matcher(text(file));
        if (!path.matches()) {
            return false;
        }
        Document document = Document.of(file, index, path, properties);
        document.names.forEach(name -> {
            otherParts |= name.startsWith("resilience4j.") && !(name + ".").startsWith(PREFIX);
            if (!document.test && IMPORT.matcher(name).matches()) {
                isSetBy(name.replaceAll("\\[\\d+]", ""));
            }
        });
        documents.add(document);
        documents.sort(PRECEDENCE);
        return true;
    }

    void isSetBy(String source) {
        elsewhere = source;
    }

    /** Returns the source of settings that these files do not contain, or {@code null} if they contain all settings. */
    @Nullable String elsewhere() {
        return elsewhere;
    }

    void move(String name) {
        moving.add(name);
    }

    boolean hasOtherParts() {
        return otherParts;
    }

    /** Returns whether one of the application's files, not of its tests, has an instance or configuration. */
    boolean has(String name) {
        return documents.stream()
                .filter(document -> !document.test)
                .anyMatch(document -> document.settings.containsKey(INSTANCES + name)
                        || document.settings.containsKey(CONFIGS + name));
    }

    /** Returns the reason, as a predicate, why an instance or configuration cannot be migrated, or {@code null} if it can. */
    @Nullable String obstacle(String name) {
        if (home(ALWAYS, false) == null) {
            return "apply only in certain profiles";
        }
        if (documents.stream().anyMatch(document -> document.hasOurs() && !document.settings.isEmpty())) {
            return "are in a file that already has RetryOn policies";
        }
        if (documents.stream().anyMatch(Document::hasAspectOrder)) {
            return "are used with retry-aspect-order; set retryon.order to its value instead";
        }
        for (boolean test : List.of(false, true)) {
            Set<String> always = whole(resolved(name, ALWAYS, test)).keySet();
            for (String profile : profiles(test)) {
                Map<String, String> theirs = resolved(name, profile, test);
                for (Map.Entry<String, String> setting : theirs.entrySet()) {
                    String obstacle = obstacle(setting.getKey(), setting.getValue());
                    if (obstacle != null) {
                        return "have " + obstacle;
                    }
                }
                if (!whole(theirs).keySet().containsAll(always)) {
                    return "lose a value in the profile '" + profile + "', but a policy can only replace values";
                }
            }
        }
        return null;
    }

    private static @Nullable String obstacle(String key, String value) {
        if (BY_CODE.contains(key)) {
            return key + ", a class with its own logic";
        }
        if (!KNOWN.contains(key)) {
            return key + ", which this command does not support";
        }
        return CONVERTED.contains(key) && value.contains("${")
                ? "a placeholder in " + key + ", which has another form in RetryOn"
                : null;
    }

    /** Returns the policies that one document needs for the migrated retries, in the order of the files. */
    Map<String, Map<String, String>> policies(SourceFile file, int index) {
        Document document = find(file, index);
        if (document == null || !document.equals(home(document.profile, document.test))) {
            return Map.of();
        }
        Map<String, Map<String, String>> policies = new LinkedHashMap<>();
        for (String name : ordered()) {
            Map<String, String> policy = whole(resolved(name, document.profile, document.test));
            if (!document.profile.equals(ALWAYS)) {
                Map<String, String> always = whole(resolved(name, ALWAYS, document.test));
                policy.entrySet().removeAll(always.entrySet());
            }
            if (!policy.isEmpty()) {
                policies.put(name, policy);
            }
        }
        return policies;
    }

    List<String> comments(SourceFile file, int index, boolean removed) {
        List<String> remarks = new ArrayList<>();
        Document document = find(file, index);
        if (document != null && removed) {
            document.settings.keySet().stream()
                    .filter(name -> name.startsWith(INSTANCES))
                    .map(name -> name.substring(INSTANCES.length()))
                    .filter(name -> !moving.contains(name))
                    .forEach(name -> remarks.add("instance '" + name + "' was not moved, because no @Retry uses it"));
        }
        if (policies(file, index).values().stream().anyMatch(policy -> policy.containsKey("excludes"))) {
            remarks.add("'excludes' also matches causes, so an error that wraps an excluded error is not retried");
        }
        int columns = Comments.columns(file.printAll()) - "# ".length();
        return remarks.stream()
                .flatMap(remark -> Comments.lines(remark, columns).stream())
                .map(line -> "# " + line)
                .toList();
    }

    private @Nullable Document find(SourceFile file, int index) {
        return documents.stream()
                .filter(document -> document.file.equals(file.getSourcePath()) && document.index == index)
                .findFirst()
                .orElse(null);
    }

    private Set<String> ordered() {
        Set<String> names = new LinkedHashSet<>();
        for (String section : List.of(CONFIGS, INSTANCES)) {
            for (Document document : documents) {
                document.settings.keySet().stream()
                        .filter(name -> name.startsWith(section))
                        .map(name -> name.substring(section.length()))
                        .forEach(names::add);
            }
        }
        names.retainAll(moving);
        return names;
    }

    private Set<String> profiles(boolean test) {
        Set<String> profiles = new TreeSet<>();
        visible(test).forEach(document -> profiles.add(document.profile));
        return profiles;
    }

    /** Returns the last document of a profile that has settings of retries or, in tests, hides them. */
    private @Nullable Document home(String profile, boolean test) {
        return documents.stream()
                .filter(document -> document.test == test && document.profile.equals(profile))
                .filter(document -> !document.settings.isEmpty() || (document.index == 0 && hidesSettings(document)))
                .reduce((first, second) -> second)
                .orElse(null);
    }

    /** Returns the visible documents. In tests, a file hides the application's file with the same name. */
    private List<Document> visible(boolean test) {
        return documents.stream()
                .filter(document -> test
                        ? document.test || documents.stream().noneMatch(other -> other.test && isSame(other, document))
                        : !document.test)
                .toList();
    }

    private boolean hidesSettings(Document document) {
        return document.test
                && documents.stream()
                        .anyMatch(other -> !other.test && isSame(other, document) && !other.settings.isEmpty());
    }

    private static boolean isSame(Document one, Document other) {
        return one.resource().equals(other.resource());
    }

    /** Returns the settings of an instance or configuration if a profile is active, merged as in Resilience4j. */
    private Map<String, String> resolved(String name, String profile, boolean test) {
        Map<String, Map<String, String>> merged = new LinkedHashMap<>();
        for (String layer : profile.equals(ALWAYS) ? List.of(ALWAYS) : List.of(ALWAYS, profile)) {
            visible(test).stream()
                    .filter(document -> document.profile.equals(layer))
                    .forEach(document -> document.settings.forEach(
                            (retry, values) -> merged.computeIfAbsent(retry, unused -> new LinkedHashMap<>())
                                    .putAll(values)));
        }
        boolean isConfiguration = !merged.containsKey(INSTANCES + name) && merged.containsKey(CONFIGS + name);
        Map<String, String> own = merged.getOrDefault((isConfiguration ? CONFIGS : INSTANCES) + name, Map.of());
        String base = own.getOrDefault("base-config", DEFAULT);
        Map<String, String> resolved = new LinkedHashMap<>(merged.getOrDefault(CONFIGS + base, Map.of()));
        resolved.putAll(own);
        return resolved;
    }

    private static Map<String, String> whole(Map<String, String> theirs) {
        Map<String, String> ours = new LinkedHashMap<>();
        ours.put("exceptions", theirs.getOrDefault("retry-exceptions", "java.lang.Exception"));
        copy(theirs, "ignore-exceptions", ours, "excludes");
        copy(theirs, "max-attempts", ours, "max-attempts");
        String wait = theirs.get("wait-duration");
        // Without a wait duration, Resilience4j ignores all other settings of waits.
        boolean exponential = wait != null && isTrue(theirs, "enable-exponential-backoff");
        boolean random = wait != null && isTrue(theirs, "enable-randomized-wait");
        ours.put("backoff", exponential ? "exponential" : "fixed");
        ours.put("delay", wait == null ? "500ms" : wait);
        if (exponential) {
            // Resilience4j reads a maximum wait only if a multiplier is set.
            String multiplier = theirs.get("exponential-backoff-multiplier");
            ours.put("multiplier", multiplier == null ? "1.5" : multiplier);
            ours.put(
                    "max-delay",
                    multiplier == null ? UNLIMITED : theirs.getOrDefault("exponential-max-wait-duration", UNLIMITED));
        }
        ours.put("jitter", random ? jitter(theirs.getOrDefault("randomized-wait-factor", "0.5")) : "none");
        return ours;
    }

    private static void copy(Map<String, String> from, String theirs, Map<String, String> to, String ours) {
        String value = from.get(theirs);
        if (value != null) {
            to.put(ours, value);
        }
    }

    private static boolean isTrue(Map<String, String> settings, String key) {
        return TRUE.contains(settings.getOrDefault(key, "").toLowerCase(Locale.ROOT));
    }

    private static String jitter(String factor) {
        try {
            return Wait.percent(Double.parseDouble(factor));
        } catch (NumberFormatException ex) {
            return factor;
        }
    }

    private static String kebab(String key) {
        return key.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }
}
