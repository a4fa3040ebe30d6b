/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import dev.retryon.benchmarks.measure.Pace;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the command line says.
 *
 * @param quick whether one short round is enough
 * @param list whether only to list the comparisons
 * @param load whether to put the load of many asynchronous calls on the peers, instead of the comparisons
 * @param durable whether to measure durable calls beside the engine below them instead
 * @param waiting how many calls wait while durable ones are measured
 * @param guide whether only to renew the tables of the performance guide from the reports
 * @param seconds how long each stream of durable calls lasts
 * @param rounds how many rounds; {@code null} for the pace's own number
 * @param only which comparisons, by their ids
 * @param out where reports go
 * @param name what they are called; {@code null} for the JDK's version
 */
record Options(
        boolean quick,
        boolean list,
        boolean load,
        boolean durable,
        boolean guide,
        int waiting,
        int seconds,
        @Nullable Integer rounds,
        Pattern only,
        Path out,
        @Nullable String name) {

    private static final Pattern ALL = Pattern.compile("");

    /** Without the variants that take longest and tell least. */
    private static final Pattern QUICK = Pattern.compile("^(?!proxy-succeed-2$|proxy-fail-twice-deep$)");

    static final String USAGE = """
            Measures RetryOn beside its peers. Run it in the project's root folder.

              --quick         one short round without two variants of others, within five minutes
              --rounds <n>    number of rounds
              --only <regex>  only the comparisons whose id contains this
              --out <folder>  where the reports go; default docs/benchmarks
              --name <name>   what they are called; default jdk-<version>, with -load, -quick or -part
              --list          list the comparisons and their contenders, measure nothing
              --guide         measure nothing, write the tables of the performance pages in docs from the reports
              --load          instead of the comparisons: 100 000 asynchronous calls in flight together
              --durable       instead of the comparisons: durable calls beside the engine below them;
                              --only sqlite or --only postgresql takes one database, and backlog, snapshot, nodes
                              or wake-up one of the measurements on PostgreSQL that follow
              --waiting <n>   how many calls wait meanwhile, at last; default 10000
              --seconds <n>   how long each stream beside a snapshot lasts; default 150
            """;

    static Options parse(List<String> arguments) {
        boolean quick = false;
        boolean list = false;
        boolean load = false;
        boolean durable = false;
        boolean guide = false;
        int waiting = 10_000;
        int seconds = 150;
        Integer rounds = null;
        Pattern only = null;
        Path out = Path.of("docs", "benchmarks");
        String name = null;
        Deque<String> rest = new ArrayDeque<>(arguments);
        while (!rest.isEmpty()) {
            String option = rest.remove();
            switch (option) {
                case "--quick" -> quick = true;
                case "--list" -> list = true;
                case "--load" -> load = true;
                case "--durable" -> durable = true;
                case "--guide" -> guide = true;
                case "--waiting" -> waiting = number(option, value(option, rest));
                case "--seconds" -> seconds = number(option, value(option, rest));
                case "--rounds" -> rounds = number(option, value(option, rest));
                case "--only" -> only = Pattern.compile(value(option, rest));
                case "--out" -> out = Path.of(value(option, rest));
                case "--name" -> name = value(option, rest);
                default -> throw new IllegalArgumentException("there is no option '" + option + "'");
            }
        }
        if (load && (list || only != null)) {
            throw new IllegalArgumentException("--load is no comparison, and does not go with --list or --only");
        }
        if (durable && (load || list)) {
            throw new IllegalArgumentException("--durable is no comparison, and does not go with --list or --load");
        }
        return new Options(
                quick,
                list,
                load,
                durable,
                guide,
                waiting,
                seconds,
                rounds,
                only != null ? only : quick ? QUICK : ALL,
                out,
                name);
    }

    private static String value(String option, Deque<String> rest) {
        String value = rest.poll();
        if (value == null) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return value;
    }

    private static int number(String option, String value) {
        if (!value.matches("[1-9][0-9]{0,6}")) {
            throw new IllegalArgumentException(option + " needs a number from 1, not '" + value + "'");
        }
        return Integer.parseInt(value);
    }

    Pace pace() {
        Pace pace = quick ? Pace.quick() : Pace.thorough();
        return rounds == null ? pace : pace.withRounds(rounds);
    }

    /** A look, or a part, does not replace what was measured in full. */
    String reportName() {
        if (name != null) {
            return name;
        }
        String suffix = quick ? "-quick" : only == ALL ? "" : "-part";
        return "jdk-" + Runtime.version().feature() + (load ? "-load" : "") + suffix;
    }
}
