// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of the style guide in CONTRIBUTING.md that a program can check. */
final class Wording {

    static final int MAX_WORDS = 35;

    /** The limit of the style guide, for pages. */
    static final int MAX_WORDS_OF_PAGES = 30;

    /** A page of this length takes ten minutes to read. */
    static final int MAX_WORDS_PER_PAGE = 2000;

    /** How often a page may contain a phrase of {@link #HABITS}. */
    static final int MAX_PER_PAGE = 3;

    private static final String SPACED =
            "(?:a |an |the |another |one |its |each |first |next |more |all |such |durable |stored )*";

    private static final List<Rule> RULES = List.of(
            rule("\\b(go|goes|going|went) on\\b", "continue"),
            rule("\\bholds? for\\b", "apply to"),
            rule("\\bin (the )?place of\\b", "instead of"),
            rule("\\bof (its|their) own\\b", "its own"),
            rule("\\bof (ours|yours|theirs)\\b", "our, your"),
            rule("\\bsees? to it\\b", "ensure"),
            rule("\\b(has|have|had) to do with\\b", "relate to"),
            rule("\\bmend(s|ed|ing)?\\b", "fix"),
            rule("\\bnobody\\b", "no user, no caller"),
            rule("\\b(whoever|those who)\\b", "the user, callers, operators"),
            rule("\\b(is|are) well( again)?(?=[.,;:)]|$)", "works, has recovered"),
            rule("\\bby hand\\b", "manually"),
            rule("\\bby code\\b", "programmatically"),
            rule(", for (it|they|he|there|nothing|what)\\b(?! (and|or|to)\\b)", "because"),
            rule(
                    ", for (the|a|an|its|this|that|these|those) [\\w-]+ (is|are|was|has|have|can|may|must|would|does|do)\\b",
                    "because"),
            rule("\\b(is|are|was|were|be|been) (told|said|noted)\\b", "set, configure, log, report"),
            rule("\\b(say|says|said) (so|otherwise|nothing)\\b", "set, configure"),
            rule("\\b(tell|tells|told) (of|when|how|what|which|whether|why)\\b", "report, show"),
            rule("\\bstands?\\b(?![- ](by|for|alone)\\b)", "is, is in"),
            rule("\\bstood\\b", "was, stopped"),
            rule("\\b(make|makes|made|making) " + SPACED + "(calls?|attempts?)\\b(?!')", "run a call, run an attempt"),
            rule("\\b(calls?|attempts?) (is|are|was|were|be|being) made\\b", "a call runs"),
            rule("\\bwhat becomes of\\b", "what happens to"),
            rule("\\b(a|an|one|two|three) [a-z]+ each\\b(?=[.,;:)]|$)", "each … has a …"));

    /** Phrases that are fine now and then, but make a page read like a translation if it is full of them. */
    private static final List<Rule> HABITS = List.of(
            rule("\\bmay\\b", "can, might (may is permission)"),
            rule("\\bmay not\\b", "cannot, must not, might not"),
            rule("\\bcan't\\b", "cannot"),
            rule("\\bat once\\b", "immediately, at the same time"),
            rule("\\bfor good\\b", "permanently"),
            rule(",? too(?=[.,;:)])", "also"),
            rule("\\bso that\\b", "to; or a second sentence"),
            rule("\\b(in|to|for|of) which\\b", "a second sentence"),
            rule("\\b(is|are) no (?!longer|more)[a-z]", "is not a"),
            rule("\\bthere (is|are)\\b", "the thing itself"),
            rule("\\brefus(e|es|ed|al)\\b", "reject"),
            rule("\\bsingle\\b", "individual"),
            rule("\\b(send|sends|sent|sending) again\\b|\\breplay(s|ed)?\\b", "resend"),
            rule(
                    "\\b(calls|attempts|letters|lines|rows) that (wait|fail|hang|run|end)\\b",
                    "waiting calls, failed calls"),
            rule(
                    "\\bthe (log|clock|page|state|rate|table|rights|user) of (the|a|each|its)\\b",
                    "a compound or possessive"));

    /** A sentence whose subject is a clause. Titles, questions and "What to do when …" are fine. */
    private static final Pattern CLAUSE_AS_SUBJECT =
            Pattern.compile("^(What|Who|Whoever|That which) (?!to |follows:)[a-z`'(].*[.;:]$");

    private record Rule(Pattern pattern, String instead) {}

    /** A sentence to rewrite, and why. */
    record Finding(Passage.Sentence sentence, String reason) {

        @Override
        public String toString() {
            return sentence.file() + ":" + sentence.line() + ": " + reason + ": " + sentence.readable();
        }
    }

    private Wording() {}

    private static Rule rule(String pattern, String instead) {
        return new Rule(Pattern.compile(pattern, Pattern.CASE_INSENSITIVE), instead);
    }

    /** Finds phrases that a page repeats too often. The result names the last place of each. */
    static List<Finding> habits(List<Passage> page) {
        List<Finding> findings = new ArrayList<>();
        for (Rule habit : HABITS) {
            int count = 0;
            Passage.Sentence last = null;
            for (Passage passage : page) {
                for (Passage.Sentence sentence : passage.sentences()) {
                    int found = (int)
                            habit.pattern().matcher(sentence.prose()).results().count();
                    count += found;
                    last = found > 0 ? sentence : last;
                }
            }
            if (last != null && count > MAX_PER_PAGE) {
                findings.add(new Finding(
                        last, count + " times like \"" + habit.pattern() + "\", write \"" + habit.instead() + "\""));
            }
        }
        return findings;
    }

    static List<Finding> check(Passage passage) {
        List<Finding> findings = new ArrayList<>();
        for (Passage.Sentence sentence : passage.sentences()) {
            if (sentence.words() > MAX_WORDS) {
                findings.add(new Finding(sentence, sentence.words() + " words"));
            }
            String prose = sentence.prose();
            if (!sentence.isTitle() && CLAUSE_AS_SUBJECT.matcher(prose).find()) {
                findings.add(new Finding(sentence, "the subject is a clause; name the thing"));
            }
            for (Rule rule : RULES) {
                Matcher match = rule.pattern().matcher(prose);
                if (match.find()) {
                    findings.add(new Finding(
                            sentence, "\"" + match.group().strip() + "\", write \"" + rule.instead() + "\""));
                }
            }
        }
        return findings;
    }
}
