/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import dev.retryon.benchmarks.measure.Figures;
import dev.retryon.benchmarks.measure.Outcome;
import java.util.Locale;

/** A report as bars, one panel a comparison, each on a logarithmic scale of its own. Legible on light and on dark. */
final class Plot {

    private static final int WIDTH = 880;

    private static final int MARGIN = 20;

    private static final int HEAD = 64;

    private static final int LABELS = 270;

    private static final int BARS = 370;

    private static final int ROW = 22;

    private static final int BAR = 14;

    private static final int PANEL_HEAD = 34;

    private static final int PANEL_FOOT = 30;

    private static final String STYLE = """
            <style>
            svg { font: 13px system-ui, sans-serif }
            .paper { fill: #ffffff } .text { fill: #1f2933 } .faint { fill: #5c6773 } .grid { stroke: #dde2e8 }
            .title { font-weight: 600; font-size: 14px } .head { font-weight: 600; font-size: 17px } .small { font-size: 11px }
            .limit { fill: #7b8794 } .peer { fill: #b6c0cc } .ours { fill: #1769d1 } .strong { font-weight: 600 }
            @media (prefers-color-scheme: dark) {
            .paper { fill: #11161d } .text { fill: #e3e8ee } .faint { fill: #9aa7b5 } .grid { stroke: #2b3440 }
            .limit { fill: #8794a3 } .peer { fill: #4b5a6b } .ours { fill: #4c9bff }
            }
            </style>
            """;

    private final StringBuilder svg = new StringBuilder();

    private int y = HEAD;

    private Plot() {}

    static String of(Report report) {
        Plot plot = new Plot();
        report.outcomes().forEach(plot::panel);
        int height = plot.y + MARGIN;
        String head =
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
                <title>What a retried call costs, on JDK %3$s</title>
                %4$s<rect class="paper" width="%1$d" height="%2$d"/>
                <text class="text head" x="%5$d" y="28">What a retried call costs: shorter is better, scales are logarithmic</text>
                <text class="faint small" x="%5$d" y="48">%6$s</text>
                """.formatted(WIDTH, height, escape(report.machine().jdk()), STYLE, MARGIN, escape(report.origin()));
        return head + plot.svg + "</svg>\n";
    }

    private void panel(Outcome outcome) {
        Scale scale = Scale.over(outcome.figures().stream().mapToDouble(Figures::time));
        line("<text class=\"text title\" x=\"%d\" y=\"%d\">%s</text>"
                .formatted(MARGIN, y + 20, escape(outcome.title())));
        int top = y + PANEL_HEAD;
        int bottom = top + ROW * outcome.figures().size();
        for (int power = scale.lowest(); power <= scale.highest(); power++) {
            int x = LABELS + scale.position(Math.pow(10, power), BARS);
            line("<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>".formatted(x, x, top - 4, bottom));
            line("<text class=\"faint small\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>"
                    .formatted(x, bottom + 14, power(power) + " " + outcome.unit()));
        }
        int row = top;
        String kind = "limit";
        for (Figures figures : outcome.figures()) {
            bar(outcome, figures, figures.ours() ? "ours" : kind, scale, row);
            row += ROW;
            kind = "peer";
        }
        y = bottom + PANEL_FOOT;
    }

    private void bar(Outcome outcome, Figures figures, String kind, Scale scale, int top) {
        int length = Math.max(1, scale.position(figures.time(), BARS));
        int baseline = top + BAR - 2;
        line("<text class=\"text%s\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                .formatted(figures.ours() ? " strong" : "", LABELS - 8, baseline, escape(figures.label())));
        line("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>"
                .formatted(kind, LABELS, top, length, BAR));
        line("<text class=\"text small\" x=\"%d\" y=\"%d\">%s %s · %s× · %s B</text>"
                .formatted(
                        LABELS + length + 6,
                        baseline - 1,
                        Numbers.time(figures.time()),
                        outcome.unit(),
                        Numbers.ratio(figures.ratio()),
                        Numbers.bytes(figures.bytes())));
    }

    private static String power(int power) {
        return power < 0
                ? String.format(Locale.ROOT, "%." + -power + "f", Math.pow(10, power))
                : String.format(Locale.ROOT, "%,.0f", Math.pow(10, power));
    }

    private void line(String text) {
        svg.append(text).append('\n');
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
