// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.outage;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The figures of an outage.
 *
 * @param stored the orders whose calls were stored
 * @param storedFor how many seconds calls were stored
 * @param duplicates calls that were not stored, because a call with their key waited
 * @param rejected calls that were not stored, because too many waited
 * @param run the orders that their partner has accepted
 * @param runTwice those that it has accepted more than once
 * @param deadLetters the order of each dead letter
 * @param orders the highest backlog of the lane whose partner works
 * @param delays from storing a call of this lane to its first attempt, in milliseconds, in ascending order; without the
 *     calls of the first seconds, when the JVMs are cold
 * @param mail the highest backlog of the lane whose partner is down
 * @param triedInOutage attempts of mail during the outage
 * @param emptyAfter seconds until mail had no backlog after the outage
 * @param triedAfterwards attempts of mail until then
 * @param window ten seconds, or the time until then if it is shorter
 * @param fastest the most attempts of mail in so many seconds
 */
record OutageResult(
        Set<String> stored,
        double storedFor,
        long duplicates,
        long rejected,
        Set<String> run,
        List<String> runTwice,
        List<String> deadLetters,
        Backlog orders,
        long[] delays,
        Backlog mail,
        long triedInOutage,
        int emptyAfter,
        int triedAfterwards,
        int window,
        int fastest) {

    /** The waiting calls of a lane: their number, and the seconds since the first of them was due. */
    record Backlog(long waiting, double lagSeconds) {

        static final Backlog NONE = new Backlog(0, 0);

        Backlog max(Backlog other) {
            return new Backlog(Math.max(waiting, other.waiting), Math.max(lagSeconds, other.lagSeconds));
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,7d waiting, lag %6.2f s", waiting, lagSeconds);
        }
    }

    /** The stored orders that their partner refuses. */
    Set<String> refused() {
        Set<String> refused = new HashSet<>(stored);
        refused.removeIf(order -> !order.contains(OutagePartner.REFUSED));
        return refused;
    }

    /** The stored orders that neither ran nor are a dead letter. */
    Set<String> lost() {
        Set<String> lost = new HashSet<>(stored);
        lost.removeAll(run);
        deadLetters.forEach(lost::remove);
        return lost;
    }

    double slowestSeconds() {
        return delays[delays.length - 1] / 1e3;
    }

    List<String> lines() {
        long keys = runTwice.stream()
                .filter(order -> order.contains(OutageNode.KEY))
                .count();
        return List.of(
                line("stored", "%d, %.0f per second", stored.size(), stored.size() / storedFor),
                line("duplicates", "%d, calls with the key of a waiting one", duplicates),
                line("rejected", "%d", rejected),
                line("run", "%d", run.size()),
                line(
                        "dead letters",
                        "%d, %d orders were refused by their partner",
                        deadLetters.size(),
                        refused().size()),
                line("lost", "%d", lost().size()),
                line("run twice", "%d, %d of them with a key", runTwice.size(), keys),
                line(
                        "orders",
                        "highest lag %.2f s; from storing to the first attempt p99 %.2f s, at most %.2f s",
                        orders.lagSeconds(),
                        delays[(int) (delays.length * 0.99)] / 1e3,
                        slowestSeconds()),
                line(
                        "mail",
                        "at most %,d waiting; %,d attempts during the outage; no backlog %d s after it",
                        mail.waiting(),
                        triedInOutage,
                        emptyAfter),
                line(
                        "mail afterwards",
                        "%.0f attempts per second, at most %d in %d seconds; %d nodes may start %d per second",
                        triedAfterwards / (double) Math.max(1, emptyAfter),
                        fastest,
                        window,
                        Outage.NODES,
                        Outage.NODES * Outage.MAX_PER_SECOND));
    }

    private static String line(String what, String format, Object... values) {
        return String.format(Locale.ROOT, "%-16s %s", what, String.format(Locale.ROOT, format, values));
    }
}
