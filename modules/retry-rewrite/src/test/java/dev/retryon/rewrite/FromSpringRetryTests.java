// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.srcMainJava;
import static org.openrewrite.java.Assertions.srcTestJava;
import static org.openrewrite.kotlin.Assertions.kotlin;
import static org.openrewrite.kotlin.Assertions.srcMainKotlin;
import static org.openrewrite.xml.Assertions.xml;

import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.kotlin.KotlinParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;
import org.openrewrite.test.TypeValidation;

class FromSpringRetryTests implements RewriteTest {

    private static final String RETRYABLE = "org.springframework.retry.annotation.Retryable";

    private static final String BACKOFF = "org.springframework.retry.annotation.Backoff";

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipeFromResources("dev.retryon.rewrite.FromSpringRetry")
                .executionContext(Project.context())
                .parser(JavaParser.fromJavaVersion().classpath("spring-retry", "spring-context", "spring-core"));
    }

    /** Adds something that enables the library; without it, nothing moves. */
    @Override
    public void rewriteRun(Consumer<RecipeSpec> spec, SourceSpecs... sources) {
        SourceSpecs enabling = xml("<bean class=\"com.acme.EnableRetry\"/>");
        RewriteTest.super.rewriteRun(
                spec, Stream.concat(Stream.of(sources), Stream.of(enabling)).toArray(SourceSpecs[]::new));
    }

    /** A class whose annotation is left unchanged, with a comment that gives the reason. */
    private static SourceSpecs left(String source, String reason) {
        int line = source.indexOf("@Retryable");
        String indent = source.substring(source.lastIndexOf('\n', line) + 1, line);
        StringBuilder comment = new StringBuilder();
        Comments.lines("left as it is: " + reason, Comments.columns(source) - indent.length() - "// ".length())
                .forEach(text -> comment.append("// ").append(text).append('\n').append(indent));
        String imported = "import org.springframework.retry.annotation.*;\n\n";
        return java(imported + source, imported + source.substring(0, line) + comment + source.substring(line));
    }

    private static SourceSpecs unchanged(String source) {
        return java("import org.springframework.retry.annotation.*;\n\n" + source);
    }

    @Nested
    class Attributes {

        @Test
        void keepTheirMeaning() {
            new Moves(RETRYABLE)
                    .moved("@Retryable", on("backoff = 'fixed', jitter = 'none'"))
                    .moved(
                            "@Retryable(java.io.IOException.class)",
                            "@RetryOn(exceptions = java.io.IOException.class, backoff = \"fixed\", jitter = \"none\")")
                    .moved(
                            "@Retryable(value = {IllegalStateException.class, java.io.IOException.class})",
                            "@RetryOn(exceptions = {IllegalStateException.class, java.io.IOException.class}, "
                                    + "backoff = \"fixed\", jitter = \"none\")")
                    .moved(
                            "@Retryable(retryFor = java.io.IOException.class)",
                            "@RetryOn(exceptions = java.io.IOException.class, backoff = \"fixed\", jitter = \"none\")")
                    .moved(
                            "@Retryable(include = java.io.IOException.class)",
                            "@RetryOn(exceptions = java.io.IOException.class, backoff = \"fixed\", jitter = \"none\")")
                    .moved("@Retryable(retryFor = {})", on("backoff = 'fixed', jitter = 'none'"))
                    .moved(
                            "@Retryable(noRetryFor = IllegalStateException.class)",
                            on("excludes = IllegalStateException.class, backoff = 'fixed', jitter = 'none'")
                                    .replace("= Exception.class", "= {Exception.class, Error.class}"))
                    .moved(
                            "@Retryable(exclude = IllegalStateException.class)",
                            on("excludes = IllegalStateException.class, backoff = 'fixed', jitter = 'none'")
                                    .replace("= Exception.class", "= {Exception.class, Error.class}"))
                    .moved("@Retryable(notRecoverable = Error.class)", on("backoff = 'fixed', jitter = 'none'"))
                    .moved("@Retryable(label = \"prices\")", on("name = 'prices', backoff = 'fixed', jitter = 'none'"))
                    .moved("@Retryable(maxAttempts = 3)", on("maxAttempts = 3, backoff = 'fixed', jitter = 'none'"))
                    .moved("@Retryable(maxAttempts = 5)", on("maxAttempts = 5, backoff = 'fixed', jitter = 'none'"))
                    .moved("@Retryable(stateful = false)", on("backoff = 'fixed', jitter = 'none'"))
                    .moved("@Retryable(listeners = {})", on("backoff = 'fixed', jitter = 'none'"))
                    .run(FromSpringRetryTests.this);
        }

        @Test
        void leaveARemarkAboutListeners() {
            new Moves(RETRYABLE)
                    .moved(
                            "@Retryable(listeners = {\"audit\", \"alerts\"})",
                            on("backoff = 'fixed', jitter = 'none'"),
                            "spring-retry called the listeners audit, alerts; define beans of type"
                                    + " dev.retryon.RetryListener instead, which receive the events from all methods")
                    .moved(
                            "@Retryable(listeners = \"\")",
                            on("backoff = 'fixed', jitter = 'none'"),
                            "spring-retry called no listener; RetryListener beans also receive events from this method")
                    .run(FromSpringRetryTests.this);
        }

        @Test
        void takeExpressions() {
            new Moves(RETRYABLE)
                    .moved(
                            "@Retryable(maxAttemptsExpression = \"#{@limits.attempts}\")",
                            on("maxAttemptsString = '#{@limits.attempts}', backoff = 'fixed', jitter = 'none'"))
                    .moved(
                            "@Retryable(maxAttemptsExpression = \"${prices.attempts:4}\")",
                            on("maxAttemptsString = '${prices.attempts:4}', backoff = 'fixed', jitter = 'none'"))
                    .moved(
                            "@Retryable(maxAttemptsExpression = \"7\", maxAttempts = 2)",
                            on("maxAttemptsString = '7', backoff = 'fixed', jitter = 'none'"))
                    .moved(
                            "@Retryable(maxAttemptsExpression = \"@limits.attempts\")",
                            on("maxAttemptsString = '#{@limits.attempts}', backoff = 'fixed', jitter = 'none'"),
                            "maxAttemptsExpression was evaluated for every call; now it is evaluated once, when the"
                                    + " application starts")
                    .run(FromSpringRetryTests.this);
        }

        @Test
        void setTheWaits() {
            new Moves(BACKOFF, RETRYABLE)
                    .moved(backoff(""), on("backoff = 'fixed', jitter = 'none'"))
                    .moved(backoff("500"), on("backoff = 'fixed', delay = '500ms', jitter = 'none'"))
                    .moved(backoff("delay = 120000"), on("backoff = 'fixed', delay = '2m', jitter = 'none'"))
                    .moved(backoff("delay = 0"), on("backoff = 'fixed', delay = '0ms', jitter = 'none'"))
                    .moved(backoff("delay = DELAY"), on("backoff = 'fixed', delay = DELAY + 'ms', jitter = 'none'"))
                    .moved(
                            backoff("delayExpression = \"${wait}\""),
                            on("backoff = 'fixed', delay = '${wait}', jitter = 'none'"))
                    // 400 = 500 - 100
                    .moved(
                            backoff("delay = 100, maxDelay = 500"),
                            on("backoff = 'fixed', delay = '100ms', jitter = '+400ms'"))
                    .moved(
                            backoff("delay = 0, maxDelay = 500"),
                            on("backoff = 'fixed', delay = '1ms', jitter = '+499ms'"))
                    .moved(
                            backoff("delay = 0, maxDelay = 600000"),
                            on("backoff = 'fixed', delay = '1ms', maxDelay = '10m', jitter = '+599999ms'"))
                    .moved(
                            backoff("delay = 500, maxDelay = 100"),
                            on("backoff = 'fixed', delay = '500ms', jitter = 'none'"))
                    .moved(backoff("multiplier = 1"), on("backoff = 'fixed', maxDelay = '30s', jitter = 'none'"))
                    .moved(
                            backoff("multiplier = 2"),
                            on("backoff = 'exponential', multiplier = 2, maxDelay = '30s', jitter = 'none'"))
                    .moved(
                            backoff("multiplier = 2, delay = 60000"),
                            on(
                                    "backoff = 'exponential', delay = '30s', multiplier = 2, maxDelay = '30s', jitter = 'none'"))
                    .moved(
                            backoff("multiplier = 3, maxDelay = 9000"),
                            on("backoff = 'exponential', multiplier = 3, maxDelay = '9s', jitter = 'none'"))
                    .moved(
                            backoff("multiplier = 2, maxDelayExpression = \"#{@a.b}\""),
                            on("backoff = 'exponential', multiplier = 2, maxDelay = '#{@a.b}', jitter = 'none'"))
                    .moved(
                            backoff("multiplierExpression = \"${m}\""),
                            on("backoff = 'exponential', multiplierString = '${m}', maxDelay = '30s', jitter = 'none'"))
                    .run(FromSpringRetryTests.this);
        }

        @Test
        void spreadTheWaits() {
            String exponential = "backoff = 'exponential', ";
            new Moves(BACKOFF, RETRYABLE)
                    .moved(
                            backoff("multiplier = 2, random = true"),
                            on(exponential + "multiplier = 2, maxDelay = '30s', jitter = 'bounded'"))
                    .moved(
                            backoff("multiplier = 1.5, random = true"),
                            on(exponential + "multiplier = 1.5, maxDelay = '30s', jitter = '50%'"),
                            "random waits were 1 to 1.5 times the delay; now they are within 50% of the delay")
                    .moved(
                            backoff("multiplier = 4, random = true"),
                            on(exponential + "multiplier = 4, maxDelay = '30s', jitter = 'bounded'"),
                            "random waits were up to the multiplier times the delay; now they are up to twice the"
                                    + " delay")
                    .moved(backoff("random = true"), on("backoff = 'fixed', jitter = 'none'"))
                    .left(
                            backoff("multiplier = 2, randomExpression = \"#{@a.b}\""),
                            "randomExpression determines the jitter; write an expression as jitter")
                    .run(FromSpringRetryTests.this);
        }

        @Test
        void keepConstants() {
            new Moves(BACKOFF, RETRYABLE)
                    .moved(
                            backoff("delay = DELAY, maxDelay = 9"),
                            on("backoff = 'fixed', delay = DELAY + 'ms', jitter = '+4ms'"))
                    .moved(
                            backoff("multiplier = DELAY"),
                            on("backoff = 'exponential', multiplier = DELAY, maxDelay = '30s', jitter = 'none'"))
                    .moved(
                            "@Retryable(maxAttemptsExpression = DELAY + \"\")",
                            on("maxAttemptsString = DELAY + '', backoff = 'fixed', jitter = 'none'"))
                    .run(FromSpringRetryTests.this);
        }

        @Test
        void keepTheirComments() {
            rewriteRun(java("""
                    import java.io.IOException;
                    import org.springframework.retry.annotation.Backoff;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        // opens the shop
                        @Retryable(
                                // the file system is slow
                                retryFor = {IOException.class /* and below */},
                                maxAttempts = 5, // agreed with operations
                                label = "opening", //
                                backoff = @Backoff(/* ms */ delay = 500))
                        void open() {}
                    }
                    """, """
                    import java.io.IOException;

                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        // opens the shop
                        // the file system is slow
                        // agreed with operations
                        /* ms */
                        @RetryOn(
                                exceptions = {IOException.class /* and below */},
                                name = "opening",
                                maxAttempts = 5,
                                backoff = "fixed",
                                delay = "500ms",
                                jitter = "none")
                        void open() {}
                    }
                    """));
        }

        @Test
        void areLeftWhereNothingMeansTheSame() {
            new Moves(BACKOFF, RETRYABLE)
                    .moved("@Retryable", on("backoff = 'fixed', jitter = 'none'"))
                    .left(
                            "@Retryable(stateful = true)",
                            "stateful retries (one attempt for each call) have no counterpart")
                    .left("@Retryable(interceptor = \"mine\")", "your own interceptor bean controls these retries")
                    .left(
                            "@Retryable(retryFor = java.io.FileNotFoundException.class, noRetryFor = java.io.IOException.class)",
                            "retryFor lists a subtype of noRetryFor; in spring-retry, the more specific type wins, but "
                                    + "in RetryOn, an exclusion always wins")
                    .left(
                            "@Retryable(maxAttemptsExpression = \"args[0].length()\")",
                            "maxAttemptsExpression depends on the arguments of the call; Retries.with sets values for "
                                    + "one call")
                    .left(
                            "@Retryable(exceptionExpression = \"message.contains('busy')\")",
                            "exceptionExpression has the error as its root; write it as onlyIf, where the error is #error")
                    .left(
                            backoff("maxDelayExpression = \"#{@a.b}\""),
                            "maxDelayExpression without a multiplier means a random wait between delay and"
                                    + " maxDelayExpression, which cannot be migrated")
                    .run(FromSpringRetryTests.this);
        }

        private static String on(String attributes) {
            String quoted = attributes.contains("\"") ? quoteOutside(attributes) : attributes.replace('\'', '"');
            return "@RetryOn(exceptions = Exception.class, " + quoted + ")";
        }

        /** Turns single quotes into double ones, except within double ones. */
        private static String quoteOutside(String attributes) {
            StringBuilder result = new StringBuilder();
            boolean inside = false;
            for (char next : attributes.toCharArray()) {
                inside ^= next == '"';
                result.append(next == '\'' && !inside ? '"' : next);
            }
            return result.toString();
        }

        private static String backoff(String attributes) {
            return "@Retryable(backoff = @Backoff" + (attributes.isEmpty() ? "" : "(" + attributes + ")") + ")";
        }
    }

    @Nested
    class Recovery {

        @Test
        void isNamedAndTakesTheErrorLast() {
            rewriteRun(java("""
                            import java.io.IOException;
                            import org.springframework.retry.annotation.Recover;
                            import org.springframework.retry.annotation.Retryable;
                            import org.springframework.stereotype.Service;

                            @Service
                            public class Prices {

                                @Retryable(retryFor = IOException.class)
                                public String price(String item, int amount) throws IOException {
                                    throw new IOException(item);
                                }

                                @Recover
                                public String yesterdays(IOException error, String item, int amount) {
                                    return "yesterday's";
                                }
                            }
                            """, """
                            import java.io.IOException;

                            import dev.retryon.spring.RetryOn;
                            import org.springframework.stereotype.Service;

                            @Service
                            public class Prices {

                                @RetryOn(exceptions = IOException.class, backoff = "fixed", jitter = "none", recover = "yesterdays")
                                public String price(String item, int amount) throws IOException {
                                    throw new IOException(item);
                                }

                                public String yesterdays(String item, int amount, IOException error) {
                                    return "yesterday's";
                                }
                            }
                            """), java("""
                            import java.io.IOException;

                            class PricesTests {
                                String recovers(Prices prices) {
                                    return prices.yesterdays(new IOException(), "ink", 2);
                                }
                            }
                            """, """
                            import java.io.IOException;

                            class PricesTests {
                                String recovers(Prices prices) {
                                    return prices.yesterdays("ink", 2, new IOException());
                                }
                            }
                            """));
        }

        @Test
        void isFoundByResultAndArguments() {
            rewriteRun(java("""
                    import java.util.List;
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable
                        String price(String item) { return item; }

                        @Retryable
                        List<String> items(String shelf) { return List.of(shelf); }

                        @Retryable
                        List<Integer> amounts(String shelf) { return List.of(1); }

                        @Retryable
                        void order(String item) {}

                        @Recover String noPrice(RuntimeException error) { return "?"; }
                        @Recover List<String> noItems(RuntimeException error, String shelf) { return List.of(); }
                        @Recover private void noOrder(RuntimeException error, String item) {}
                    }
                    """, """
                    import java.util.List;

                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "noPrice")
                        String price(String item) { return item; }

                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "noItems")
                        List<String> items(String shelf) { return List.of(shelf); }

                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none")
                        List<Integer> amounts(String shelf) { return List.of(1); }

                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "noOrder")
                        void order(String item) {}

                        String noPrice(RuntimeException error) { return "?"; }
                        List<String> noItems(String shelf, RuntimeException error) { return List.of(); }
                        private void noOrder(String item, RuntimeException error) {}
                    }
                    """));
        }

        @Test
        void byTypeOfErrorBecomesAnOverload() {
            rewriteRun(java("""
                    import java.io.IOException;
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable
                        String price(String item) throws IOException { return item; }

                        @Recover
                        String other(IOException error, String item) { return "io"; }

                        @Recover
                        String other(RuntimeException error, String item) { return "other"; }
                    }
                    """, """
                    import java.io.IOException;

                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "other")
                        String price(String item) throws IOException { return item; }

                        String other(String item, IOException error) { return "io"; }

                        String other(String item, RuntimeException error) { return "other"; }
                    }
                    """));
        }

        @Test
        void ofSeveralNamesKeepsTheMethod() {
            rewriteRun(
                    left(
                            """
                    class Shop {
                        @Retryable
                        String price(String item) { return item; }

                        @Recover
                        String onState(IllegalStateException error, String item) { return "state"; }

                        @Recover
                        String onOther(RuntimeException error, String item) { return "other"; }
                    }
                    """,
                            "its @Recover methods have different names; give them one name, because RetryOn chooses among overloads"));
        }

        @Test
        void isChosenByNameWhereOneIsGiven() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable(recover = "noPrice")
                        String price(String item) { return item; }

                        @Retryable(recover = "noName")
                        String name(String item) { return item; }

                        @Recover String noPrice(RuntimeException error, String item) { return "?"; }
                        @Recover String noName(RuntimeException error, String item) { return "?"; }
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "noPrice")
                        String price(String item) { return item; }

                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "noName")
                        String name(String item) { return item; }

                        String noPrice(String item, RuntimeException error) { return "?"; }
                        String noName(String item, RuntimeException error) { return "?"; }
                    }
                    """));
        }

        @Test
        void servesErrorsThatAreNotRetried() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable(IllegalStateException.class)
                        String price(String item) { return item; }

                        @Recover
                        String noPrice(Exception error) { return "?"; }
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(
                                exceptions = IllegalStateException.class,
                                backoff = "fixed",
                                jitter = "none",
                                recover = "noPrice",
                                recoverOn = Exception.class)
                        String price(String item) { return item; }

                        String noPrice(Exception error) { return "?"; }
                    }
                    """));
        }

        @Test
        void servesErrorsOfTheVirtualMachine() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable
                        String price(String item) { return item; }

                        @Recover
                        String noPrice(Throwable error, String item) { return "?"; }

                        @Retryable
                        Integer stock(String item) { return 1; }

                        @Recover
                        Integer noStock(LinkageError error, String item) { return 0; }
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(
                                exceptions = Exception.class,
                                backoff = "fixed",
                                jitter = "none",
                                recover = "noPrice",
                                recoverOn = Error.class)
                        String price(String item) { return item; }

                        String noPrice(String item, Throwable error) { return "?"; }

                        @RetryOn(
                                exceptions = Exception.class,
                                backoff = "fixed",
                                jitter = "none",
                                recover = "noStock",
                                recoverOn = LinkageError.class)
                        Integer stock(String item) { return 1; }

                        Integer noStock(String item, LinkageError error) { return 0; }
                    }
                    """));
        }

        @Test
        void mayDoWithoutTheError() {
            rewriteRun(java("""
                    import java.io.IOException;
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable(IOException.class)
                        String price(String item) throws IOException { return item; }

                        @Recover String noPrice(IOException error, String item) { return "?"; }
                        @Recover String noPrice(String item) { return noPrice(null, item); }
                    }
                    """, """
                    import java.io.IOException;

                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(
                                exceptions = IOException.class,
                                backoff = "fixed",
                                jitter = "none",
                                recover = "noPrice",
                                recoverOn = {Throwable.class, Error.class})
                        String price(String item) throws IOException { return item; }

                        String noPrice(String item, IOException error) { return "?"; }
                        String noPrice(String item) { return noPrice(item, null); }
                    }
                    """));
        }

        @Test
        void ofSomeErrorsKeepsTheMethod() {
            rewriteRun(left("""
                    class Shop {
                        @Retryable(notRecoverable = IllegalStateException.class)
                        String price(String item) { return item; }

                        @Recover
                        String noPrice(Exception error, String item) { return "?"; }
                    }
                    """, "notRecoverable has no counterpart: RetryOn recovers every error that it retries"));
        }

        @Test
        void besideAnOverloadThatRetryOnWouldCallKeepsTheMethod() {
            String reason = "RetryOn would also recover with another overload of noPrice; rename that overload";
            rewriteRun(left("""
                            class Shop {
                                @Retryable
                                public String price(String item) { return item; }

                                @Recover public String noPrice(java.io.IOException error, String item) { return noPrice(item); }

                                private String noPrice(String item) { return "?"; }
                            }
                            """, reason), left("""
                            class Market {
                                @Retryable
                                public void order(String item) {}

                                @Recover public void noPrice(java.io.IOException error, String item) {}

                                @Recover public String noPrice(IllegalStateException error) { return "?"; }
                            }
                            """, reason));
        }

        @Test
        void besideAnOverloadForOthersIsNamed() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable
                        public String price(String item) { return item; }

                        @Recover public String price(IllegalStateException error, String item) { return "?"; }

                        public String price(String item, int amount) { return item; }

                        public int price(long item) { return 1; }
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "price")
                        public String price(String item) { return item; }

                        public String price(String item, IllegalStateException error) { return "?"; }

                        public String price(String item, int amount) { return item; }

                        public int price(long item) { return 1; }
                    }
                    """));
        }

        @Test
        void thatFitsTheValuesOnlyKeepsTheMethod() {
            rewriteRun(
                    left("""
                            class Shop {
                                @Retryable
                                public String price(Object item) { return "?"; }

                                @Recover public String noPrice(RuntimeException error, String item) { return item; }
                            }
                            """, "@Recover method noPrice takes a subtype of an argument; RetryOn needs the type itself"),
                    left(
                            """
                            class Market {
                                @Retryable
                                public String price(String item) { return item; }

                                @Recover public String noPrice(RuntimeException error, String item, Integer amount) { return item; }
                            }
                            """,
                            "@Recover method noPrice takes more than the arguments; RetryOn passes all of them or none"));
        }

        @Test
        void takesBoxedArguments() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable
                        public String price(int item, Long amount) { return "?"; }

                        @Recover public String noPrice(RuntimeException error, Integer item, long amount) { return "?"; }
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none", recover = "noPrice")
                        public String price(int item, Long amount) { return "?"; }

                        public String noPrice(Integer item, long amount, RuntimeException error) { return "?"; }
                    }
                    """));
        }

        @Test
        void thatCantServeKeepsTheWholeGroup() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable
                        String price(String item, int amount) { return item; }

                        @Retryable
                        Integer some(String... items) { return 1; }

                        @Retryable(stateful = true)
                        void order(String item) {}

                        @Retryable
                        void deliver(String item) {}

                        @Retryable
                        Long wide(String item) { return 1L; }

                        @Recover String noPrice(RuntimeException error, String item) { return "?"; }
                        @Recover Integer none(RuntimeException error, String... items) { return 0; }
                        @Recover void noOrder(RuntimeException error, String item) {}
                        @Recover Number any(RuntimeException error, String item) { return 0; }
                    }
                    """, """
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        // RetryOn: left as it is: @Recover method noPrice takes some of the
                        // arguments; RetryOn passes all of them or none
                        @Retryable
                        String price(String item, int amount) { return item; }

                        // RetryOn: left as it is: @Recover method none ends with a varargs
                        // parameter, after which no error parameter is possible
                        @Retryable
                        Integer some(String... items) { return 1; }

                        // RetryOn: left as it is: stateful retries (one attempt for each call) have
                        // no counterpart
                        @Retryable(stateful = true)
                        void order(String item) {}

                        // RetryOn: left as it is: its @Recover method also recovers another
                        // @Retryable, which was not migrated
                        @Retryable
                        void deliver(String item) {}

                        // RetryOn: left as it is: @Recover method any returns a supertype of the
                        // retried method's return type
                        @Retryable
                        Long wide(String item) { return 1L; }

                        @Recover String noPrice(RuntimeException error, String item) { return "?"; }
                        @Recover Integer none(RuntimeException error, String... items) { return 0; }
                        @Recover void noOrder(RuntimeException error, String item) {}
                        @Recover Number any(RuntimeException error, String item) { return 0; }
                    }
                    """));
        }

        @Test
        void ofAComposedAnnotationStays() {
            rewriteRun(
                    unchanged("""
                            @Recover
                            @interface Fallback {}
                            """),
                    left(
                            """
                            class Shop {
                                @Retryable
                                String price() { return "1"; }

                                @Fallback
                                String none(RuntimeException error) { return "?"; }
                            }
                            """,
                            "its recovery method none has an annotation that is composed with @Recover; write @Recover"
                                    + " itself"));
        }

        @Test
        void thatAMethodWithMoreArgumentsSharesStays() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable
                        String price(String item, int amount) { return item; }

                        @Retryable
                        String name(String item) { return item; }

                        @Recover String none(RuntimeException error, String item) { return "?"; }
                    }
                    """, """
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        // RetryOn: left as it is: @Recover method none takes some of the arguments;
                        // RetryOn passes all of them or none
                        @Retryable
                        String price(String item, int amount) { return item; }

                        // RetryOn: left as it is: its @Recover method also recovers another
                        // @Retryable, which was not migrated
                        @Retryable
                        String name(String item) { return item; }

                        @Recover String none(RuntimeException error, String item) { return "?"; }
                    }
                    """));
        }
    }

    @Nested
    class Classes {

        @Test
        void moveWithTheirMethods() {
            rewriteRun(java("""
                    import java.io.IOException;
                    import org.springframework.retry.annotation.Recover;
                    import org.springframework.retry.annotation.Retryable;

                    @Retryable(retryFor = IOException.class, maxAttempts = 5)
                    public class Shop {

                        public void open() throws IOException {}

                        @Retryable(retryFor = {IOException.class, IllegalStateException.class})
                        public void close() throws IOException {}

                        @Recover
                        public void givenUp(IOException error) {}
                    }
                    """, """
                    import java.io.IOException;

                    import dev.retryon.spring.Inherit;
                    import dev.retryon.spring.RetryOn;

                    @RetryOn(exceptions = IOException.class, maxAttempts = 5, backoff = "fixed", jitter = "none", recover = "givenUp")
                    public class Shop {

                        public void open() throws IOException {}

                        @RetryOn(
                                exceptions = {IOException.class, IllegalStateException.class},
                                backoff = "fixed",
                                jitter = "none",
                                recover = "givenUp",
                                inherit = Inherit.NONE)
                        public void close() throws IOException {}

                        public void givenUp(IOException error) {}
                    }
                    """));
        }

        @Test
        void stayWhereAMethodStays() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Retryable;

                    @Retryable
                    public class Shop {

                        @Retryable(stateful = true)
                        public void close() {}
                    }
                    """, """
                    import org.springframework.retry.annotation.Retryable;

                    // RetryOn: left as it is: another annotation on the same methods was not
                    // migrated, and a method must not have both
                    @Retryable
                    public class Shop {

                        // RetryOn: left as it is: stateful retries (one attempt for each call) have
                        // no counterpart
                        @Retryable(stateful = true)
                        public void close() {}
                    }
                    """));
        }

        @Test
        void thatInheritARecoveryStay() {
            rewriteRun(
                    unchanged("""
                    class Base {
                        @Recover
                        String none(RuntimeException error) { return "none"; }
                    }
                    """),
                    left(
                            """
                    class Shop extends Base {
                        @Retryable
                        String open() { return "open"; }
                    }
                    """,
                            "the @Recover methods of Base also apply here; name one of them in 'recover', and move its"
                                    + " error parameter"));
        }

        @Test
        void withACircuitBreakerOrATemplateKeepIt() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.CircuitBreaker;
                    import org.springframework.retry.support.RetryTemplate;

                    class Prices {
                        RetryTemplate template;

                        @CircuitBreaker
                        void price() {}
                    }
                    """, """
                    import org.springframework.retry.annotation.CircuitBreaker;
                    // RetryOn: left as it is: use the RetryRegistry bean instead of a RetryTemplate
                    import org.springframework.retry.support.RetryTemplate;

                    class Prices {
                        RetryTemplate template;

                        // RetryOn: left as it is: RetryOn has no circuit breaker
                        @CircuitBreaker
                        void price() {}
                    }
                    """));
        }
    }

    /** Annotations are migrated only if RetryOn retries the same methods, equally often, with the same recovery. */
    @Nested
    class Proof {

        @Test
        void failsForAClassWithMethodsThatAreNotPublic() {
            rewriteRun(left(
                    """
                    @Retryable
                    class Shop {
                        public void open() {}

                        void close() {}
                    }
                    """,
                    "it covers the method close, which is not public; on a class, @RetryOn covers public methods only,"
                            + " so annotate the methods"));
        }

        @Test
        void failsForAClassWhoseSubclassHasMethodsThatAreNotPublic() {
            rewriteRun(left(
                    """
                    @Retryable
                    abstract class Base {
                        public void open() {}
                    }

                    class Shop extends Base {
                        protected void close() {}
                    }
                    """,
                    "it covers the method close, which is not public; on a class, @RetryOn covers public methods only,"
                            + " so annotate the methods"));
        }

        @Test
        void failsForAClassThatInheritsMethods() {
            rewriteRun(
                    left(
                            """
                            @Retryable
                            class Shop extends Base {
                                public void open() {}
                            }
                            """,
                            "on a class, @RetryOn also covers the inherited method close; annotate only the methods"
                                    + " to retry"),
                    java("""
                            class Base {
                                public void open() {}

                                public void close() {}
                            }
                            """));
        }

        @Test
        void failsForResultsThatCanFailLater() {
            rewriteRun(left(
                    """
                    class Shop {
                        @Retryable
                        public java.util.concurrent.CompletableFuture<String> open() { return null; }
                    }
                    """,
                    "the method open returns a result that can fail later; so far, only errors that the method throws"
                            + " were retried, on the caller's thread; @RetryOn also retries later failures"));
        }

        @Test
        void failsForAnUnknownSupertype() {
            rewriteRun(
                    spec -> spec.typeValidationOptions(TypeValidation.none()),
                    left("""
                            class Shop extends com.acme.Unknown {
                                @Retryable
                                public void open() {}
                            }
                            """, "a supertype of Shop cannot be resolved"));
        }

        @Test
        void failsIfNothingEnablesRetries() {
            RewriteTest withoutEnabling = new RewriteTest() {
                @Override
                public void defaults(RecipeSpec spec) {
                    FromSpringRetryTests.this.defaults(spec);
                }
            };
            withoutEnabling.rewriteRun(left(
                    """
                    class Shop {
                        @Retryable
                        public void open() {}
                    }
                    """,
                    "these sources have no @EnableRetry, so this annotation might have no effect; if it retries calls,"
                            + " write @RetryOn, and otherwise remove it"));
        }

        @Test
        void failsIfOnlyTestsEnableRetries() {
            RewriteTest withoutEnabling = new RewriteTest() {
                @Override
                public void defaults(RecipeSpec spec) {
                    FromSpringRetryTests.this.defaults(spec);
                }
            };
            withoutEnabling.rewriteRun(
                    srcMainJava(left(
                            """
                            class Shop {
                                @Retryable
                                public void open() {}
                            }
                            """,
                            "only tests have @EnableRetry, so this annotation might have no effect; if it retries"
                                    + " calls, write @RetryOn, and otherwise remove it")),
                    srcTestJava(unchanged("""
                            @EnableRetry
                            class ShopTests {}
                            """)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"private", "static", "final"})
        void failsForMethodsThatNoProxyCanRetry(String modifier) {
            rewriteRun(left(
                    """
                    class Shop {
                        @Retryable
                        %s void open() {}
                    }
                    """.formatted(modifier),
                    "the method open is " + modifier
                            + ", so no proxy can retry it; remove the annotation, or change the" + " method"));
        }

        @Test
        void findsThatTheNearestAnnotationCountsAlone() {
            rewriteRun(java("""
                    import java.io.IOException;
                    import org.springframework.retry.annotation.Retryable;

                    interface Shop {
                        @Retryable(noRetryFor = IOException.class)
                        void open() throws IOException;
                    }

                    class LocalShop implements Shop {
                        @Override
                        @Retryable(IOException.class)
                        public void open() throws IOException {}
                    }
                    """, """
                    import java.io.IOException;

                    import dev.retryon.spring.Inherit;
                    import dev.retryon.spring.RetryOn;

                    interface Shop {
                        @RetryOn(
                                exceptions = {Exception.class, Error.class},
                                excludes = IOException.class,
                                backoff = "fixed",
                                jitter = "none",
                                inherit = Inherit.NONE)
                        void open() throws IOException;
                    }

                    class LocalShop implements Shop {
                        @Override
                        @RetryOn(exceptions = IOException.class, backoff = "fixed", jitter = "none", inherit = Inherit.NONE)
                        public void open() throws IOException {}
                    }
                    """));
        }

        @Test
        void failsForTheWholeFamilyOfAMethodThatStays() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Retryable;

                    interface Shop {
                        @Retryable
                        void open();
                    }

                    class LocalShop implements Shop {
                        @Override
                        @Retryable(stateful = true)
                        public void open() {}
                    }
                    """, """
                    import org.springframework.retry.annotation.Retryable;

                    interface Shop {
                        // RetryOn: left as it is: another annotation on the same methods was not
                        // migrated, and a method must not have both
                        @Retryable
                        void open();
                    }

                    class LocalShop implements Shop {
                        @Override
                        // RetryOn: left as it is: stateful retries (one attempt for each call) have
                        // no counterpart
                        @Retryable(stateful = true)
                        public void open() {}
                    }
                    """));
        }

        @Test
        void failsForAnAnnotationBesideOneOfALibrary() {
            rewriteRun(
                    spec -> spec.parser(JavaParser.fromJavaVersion()
                            .classpath("spring-retry")
                            .dependsOn("""
                            package com.acme;

                            public interface Shop {
                                @org.springframework.retry.annotation.Retryable
                                void open();
                            }
                            """)),
                    left("""
                            class LocalShop implements com.acme.Shop {
                                @Retryable
                                public void open() {}
                            }
                            """, "an annotation of Shop is not in these sources, and a method must not have both"));
        }

        @Test
        void holdsForEachOverloadAlone() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable(stateful = true)
                        public void open(String door) {}

                        @Retryable
                        public void open(Integer door) {}
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        // RetryOn: left as it is: stateful retries (one attempt for each call) have
                        // no counterpart
                        @Retryable(stateful = true)
                        public void open(String door) {}

                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none")
                        public void open(Integer door) {}
                    }
                    """));
        }

        @Test
        void failsForARecoveryThatACircuitBreakerMayShare() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.*;

                    class Shop {
                        @Retryable
                        public String open(String door) { return door; }

                        @CircuitBreaker
                        public String close(String door) { return door; }

                        @Recover
                        public String none(RuntimeException error, String door) { return "none"; }
                    }
                    """, """
                    import org.springframework.retry.annotation.*;

                    class Shop {
                        // RetryOn: left as it is: its @Recover methods might also apply to a
                        // @CircuitBreaker
                        @Retryable
                        public String open(String door) { return door; }

                        // RetryOn: left as it is: RetryOn has no circuit breaker
                        @CircuitBreaker
                        public String close(String door) { return door; }

                        @Recover
                        public String none(RuntimeException error, String door) { return "none"; }
                    }
                    """));
        }

        @Test
        void failsForMethodsWithAdviceOfResilience4j() {
            String reason = "Resilience4j's @CircuitBreaker runs outside the retries of @Retryable and would run inside"
                    + " the retries of @RetryOn; write @RetryOn, and set retryon.order to 2147483646";
            rewriteRun(
                    spec -> spec.parser(JavaParser.fromJavaVersion()
                            .classpath("spring-retry", "spring-context", "spring-core", "resilience4j-annotations")),
                    left("""
                            class Shop {
                                @Retryable
                                @io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker(name = "shop")
                                public void open() {}
                            }
                            """, reason),
                    left("""
                            @io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker(name = "market")
                            class Market {
                                @Retryable
                                public void open() {}
                            }
                            """, reason));
        }

        @Test
        void failsForAnInterfaceWhoseClassHasTheRecovery() {
            rewriteRun(left(
                    """
                    interface Shop {
                        @Retryable
                        String open();
                    }

                    class LocalShop implements Shop {
                        @Override
                        public String open() { return "open"; }

                        @Recover
                        public String none(RuntimeException error) { return "none"; }
                    }
                    """,
                    "the @Recover methods of LocalShop also apply here; name one of them in 'recover', and move"
                            + " its error parameter"));
        }

        @Test
        void failsForAComposedAnnotationOnAClassWithARecovery() {
            rewriteRun(
                    left(
                            """
                            @Retryable
                            @interface Patient {}
                            """,
                            "the @Recover methods of Shop also apply here; name one of them in 'recover', and move its"
                                    + " error parameter"),
                    unchanged("""
                            class Shop {
                                @Patient
                                public String open() { return "open"; }

                                @Recover
                                public String none(RuntimeException error) { return "none"; }
                            }
                            """));
        }

        @Test
        void failsForARecoveryThatAnInterfaceDeclares() {
            rewriteRun(left(
                    """
                    interface Shop {
                        @Retryable
                        String open(String door);

                        @Recover
                        String none(RuntimeException error, String door);
                    }

                    class LocalShop implements Shop {
                        @Override
                        public String open(String door) { return "open"; }

                        @Override
                        public String none(RuntimeException error, String door) { return "none"; }
                    }
                    """,
                    "the @Recover method none is also declared in LocalShop; name it in 'recover', and move its"
                            + " error parameter in both classes"));
        }

        @Test
        void remarksThatExcludedCausesCount() {
            new Moves(RETRYABLE)
                    .moved(
                            "@Retryable(retryFor = IllegalStateException.class, noRetryFor = java.io.IOException.class)",
                            "@RetryOn(exceptions = IllegalStateException.class, excludes = java.io.IOException.class, "
                                    + "backoff = \"fixed\", jitter = \"none\")",
                            "an excluded cause now prevents a retry even if the error itself is listed")
                    .run(FromSpringRetryTests.this);
        }
    }

    @Nested
    class Layout {

        @Test
        void ofASecondRunIsThatOfTheFirst() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Retryable;
                    // RetryOn: left as it is: use the RetryRegistry bean instead of a RetryTemplate
                    import org.springframework.retry.support.RetryTemplate;

                    class Shop {
                        RetryTemplate template;

                        // RetryOn: left as it is: stateful retries (one attempt for each call) have
                        // no counterpart
                        @Retryable(stateful = true)
                        public void open() {}

                        @Deprecated
                        // RetryOn: left as it is: stateful retries (one attempt for each call) have
                        // no counterpart
                        @Retryable(stateful = true)
                        public void close() {}
                    }
                    """), java("""
                    import org.springframework.retry.annotation.Retryable;

                    // RetryOn: left as it is: stateful retries (one attempt for each call) have no counterpart
                    @Retryable(stateful = true)
                    class Store {
                        public void open() {}
                    }
                    """));
        }

        @Test
        void wrapsCommentsAtTheLengthOfTheLongestLine() {
            String line =
                    "/** A long line of this source, which shows how long the lines of its comments can be in the project at hand. */";
            rewriteRun(java(line + """

                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        @Retryable(stateful = true)
                        void open() {}

                        @Retryable(exceptionExpression = "message.contains('busy')")
                        void close() {}
                    }
                    """, line + """

                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        // RetryOn: left as it is: stateful retries (one attempt for each call) have no counterpart
                        @Retryable(stateful = true)
                        void open() {}

                        // RetryOn: left as it is: exceptionExpression has the error as its root; write it as onlyIf, where the
                        // error is #error
                        @Retryable(exceptionExpression = "message.contains('busy')")
                        void close() {}
                    }
                    """));
        }

        @Test
        void followsTabs() {
            rewriteRun(java("""
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                    \t@Retryable(maxAttempts = 5, label = "the shop that opens in the morning, with a long name")
                    \tvoid open() {}
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Shop {
                    \t@RetryOn(
                    \t\t\texceptions = Exception.class,
                    \t\t\tname = "the shop that opens in the morning, with a long name",
                    \t\t\tmaxAttempts = 5,
                    \t\t\tbackoff = "fixed",
                    \t\t\tjitter = "none")
                    \tvoid open() {}
                    }
                    """));
        }
    }

    @Nested
    class Contexts {

        @Test
        void keepTheMethodThatAsksForThem() {
            rewriteRun(java("""
                    import org.springframework.retry.RetryContext;
                    import org.springframework.retry.annotation.Retryable;
                    import org.springframework.retry.support.RetrySynchronizationManager;

                    class Shop {
                        @Retryable
                        public void open() {
                            RetryContext context = RetrySynchronizationManager.getContext();
                            System.out.println(context.getRetryCount());
                        }

                        @Retryable
                        public void close() {}
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;
                    import org.springframework.retry.RetryContext;
                    import org.springframework.retry.annotation.Retryable;
                    // RetryOn: left as it is: getContext() is null in methods with @RetryOn and in
                    // methods that they call; use dev.retryon.RetryContext.current()
                    import org.springframework.retry.support.RetrySynchronizationManager;

                    class Shop {
                        // RetryOn: left as it is: its code reads the context of spring-retry, which
                        // is null in a method with @RetryOn; use RetryContext.current()
                        @Retryable
                        public void open() {
                            RetryContext context = RetrySynchronizationManager.getContext();
                            System.out.println(context.getRetryCount());
                        }

                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none")
                        public void close() {}
                    }
                    """));
        }

        @Test
        void thatAreUsedByOtherMethodsGetAComment() {
            rewriteRun(java("""
                    import org.springframework.retry.support.RetrySynchronizationManager;

                    class Log {
                        void attempt() {
                            System.out.println(RetrySynchronizationManager.getContext().getRetryCount());
                        }
                    }
                    """, """
                    // RetryOn: left as it is: getContext() is null in methods with @RetryOn and in
                    // methods that they call; use dev.retryon.RetryContext.current()
                    import org.springframework.retry.support.RetrySynchronizationManager;

                    class Log {
                        void attempt() {
                            System.out.println(RetrySynchronizationManager.getContext().getRetryCount());
                        }
                    }
                    """), java("""
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        Log log;

                        @Retryable
                        public void open() {
                            log.attempt();
                        }
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Shop {
                        Log log;

                        @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none")
                        public void open() {
                            log.attempt();
                        }
                    }
                    """));
        }
    }

    @Nested
    class Projects {

        private static final String APPLICATION = """
                import org.springframework.context.annotation.Configuration;
                import org.springframework.retry.annotation.EnableRetry;

                @Configuration
                @EnableRetry
                class Application {}
                """;

        private static final String DEPENDENCY = "org.springframework.retry:spring-retry:2.0.12";

        private final Project project = Project.with(DEPENDENCY);

        private static final String RETRIED = """
                import org.springframework.retry.RetryException;
                import org.springframework.retry.annotation.Retryable;

                class Shop {
                    @Retryable
                    void open() {}
                }
                """;

        private static final String MOVED = """
                import dev.retryon.spring.RetryOn;

                class Shop {
                    @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none")
                    void open() {}
                }
                """;

        @Test
        void thatMoveWhollyLoseTheOldDependency() {
            rewriteRun(project.thatReplacesIt(srcMainJava(java(RETRIED, MOVED), java(APPLICATION, """
                    import org.springframework.context.annotation.Configuration;

                    @Configuration
                    class Application {}
                    """))));
        }

        @Test
        void sayWhereAttributesOfEnableRetryHaveGone() {
            rewriteRun(project.thatReplacesIt(srcMainJava(java(RETRIED, MOVED), java("""
                    import org.springframework.context.annotation.Configuration;
                    import org.springframework.retry.annotation.EnableRetry;

                    @Configuration
                    @EnableRetry(proxyTargetClass = true, order = 5)
                    class Application {}
                    """, """
                    import org.springframework.context.annotation.Configuration;

                    // RetryOn: @EnableRetry had proxyTargetClass = true; the property
                    // spring.aop.proxy-target-class replaces it
                    // RetryOn: @EnableRetry had order = 5; the property retryon.order replaces it
                    @Configuration
                    class Application {}
                    """))));
        }

        @Test
        void withoutSpringBootStay() {
            Project plain = Project.withoutSpringBoot(DEPENDENCY);
            rewriteRun(plain.thatStays(srcMainJava(java(RETRIED, """
                    import org.springframework.retry.annotation.Retryable;

                    class Shop {
                        // RetryOn: left as it is: this project does not use Spring Boot, and
                        // @RetryOn needs its auto-configuration
                        @Retryable
                        void open() {}
                    }
                    """), java(APPLICATION))));
        }

        @Test
        void withListenersAndTemplatesSayWhatToDo() {
            rewriteRun(project.thatKeepsIt(srcMainJava(java("""
                    import java.util.List;
                    import org.springframework.context.annotation.Bean;
                    import org.springframework.retry.RetryCallback;
                    import org.springframework.retry.RetryContext;
                    import org.springframework.retry.RetryListener;
                    import org.springframework.retry.annotation.Backoff;
                    import org.springframework.retry.annotation.Retryable;
                    import org.springframework.retry.support.RetryTemplate;
                    import org.springframework.stereotype.Component;

                    @Component
                    class Shop {
                        @Retryable(backoff = @Backoff(5))
                        void open() {}

                        @Bean
                        RetryTemplate template() { return new RetryTemplate(); }

                        @Bean
                        RetryListener audit() {
                            return new RetryListener() {
                                @Override
                                public <T, E extends Throwable> void onError(RetryContext context, RetryCallback<T, E> callback, Throwable error) {
                                    System.out.println(List.of(error));
                                }
                            };
                        }
                    }
                    """, """
                    import java.util.List;

                    import dev.retryon.spring.RetryOn;
                    import org.springframework.context.annotation.Bean;
                    import org.springframework.retry.RetryCallback;
                    import org.springframework.retry.RetryContext;
                    // RetryOn: left as it is: methods with @RetryOn do not call this listener; define a bean of type
                    // dev.retryon.RetryListener, which receives RetryScheduled and RetryFailed instead of onError
                    import org.springframework.retry.RetryListener;
                    // RetryOn: left as it is: use the RetryRegistry bean instead of a RetryTemplate
                    import org.springframework.retry.support.RetryTemplate;
                    import org.springframework.stereotype.Component;

                    @Component
                    class Shop {
                        @RetryOn(exceptions = Exception.class, backoff = "fixed", delay = "5ms", jitter = "none")
                        void open() {}

                        @Bean
                        RetryTemplate template() { return new RetryTemplate(); }

                        @Bean
                        RetryListener audit() {
                            return new RetryListener() {
                                @Override
                                public <T, E extends Throwable> void onError(RetryContext context, RetryCallback<T, E> callback, Throwable error) {
                                    System.out.println(List.of(error));
                                }
                            };
                        }
                    }
                    """))));
        }

        @Test
        void thatHandleExhaustedRetriesSayThatTheyNoLongerOccur() {
            rewriteRun(project.thatKeepsIt(srcMainJava(java(RETRIED, MOVED), java("""
                    import org.springframework.retry.ExhaustedRetryException;

                    class Handler {
                        String handle(ExhaustedRetryException error) { return "later"; }
                    }
                    """, """
                    // RetryOn: left as it is: methods with @RetryOn throw the original error
                    // instead of this exception
                    import org.springframework.retry.ExhaustedRetryException;

                    class Handler {
                        String handle(ExhaustedRetryException error) { return "later"; }
                    }
                    """))));
        }

        @Test
        void withAListenerOfAStarImportSayWhatToDo() {
            rewriteRun(project.thatKeepsIt(srcMainJava(java("""
                    import org.springframework.context.annotation.Bean;
                    import org.springframework.retry.*;
                    import org.springframework.retry.annotation.Backoff;
                    import org.springframework.retry.annotation.Retryable;
                    import org.springframework.stereotype.Component;

                    @Component
                    class Shop {
                        @Retryable(backoff = @Backoff(5))
                        void open() {}

                        @Bean
                        RetryListener audit() { return new RetryListener() {}; }
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;
                    import org.springframework.context.annotation.Bean;
                    // RetryOn: left as it is: methods with @RetryOn do not call a RetryListener of
                    // this package; define a bean of type dev.retryon.RetryListener; use the
                    // RetryRegistry bean instead of RetryOperations
                    import org.springframework.retry.*;
                    import org.springframework.stereotype.Component;

                    @Component
                    class Shop {
                        @RetryOn(exceptions = Exception.class, backoff = "fixed", delay = "5ms", jitter = "none")
                        void open() {}

                        @Bean
                        RetryListener audit() { return new RetryListener() {}; }
                    }
                    """))));
        }

        @Test
        void withKotlinSourcesThatUseSpringRetryHaveBoth() {
            rewriteRun(
                    spec -> spec.parser(KotlinParser.builder().classpath("spring-retry")),
                    project.thatKeepsIt(srcMainJava(java(RETRIED, MOVED)), srcMainKotlin(kotlin("""
                            import org.springframework.retry.annotation.Retryable

                            open class Stock {
                                @Retryable
                                open fun amount() = 1
                            }
                            """, """
                            // RetryOn: left as it is: this command changes only Java
                            import org.springframework.retry.annotation.Retryable

                            open class Stock {
                                @Retryable
                                open fun amount() = 1
                            }
                            """))));
        }

        @Test
        void withFullNamesHaveBoth() {
            rewriteRun(project.thatKeepsIt(srcMainJava(java(RETRIED, MOVED), java("""
                    class Policies {
                        org.springframework.retry.policy.NeverRetryPolicy never;
                    }
                    """))));
        }

        @Test
        void withBeansInXmlHaveBoth() {
            rewriteRun(project.thatKeepsIt(
                    srcMainJava(java(RETRIED, MOVED)),
                    xml(
                            "<bean class=\"org.springframework.retry.support.RetryTemplate\"/>",
                            spec -> spec.path("src/main/resources/beans.xml"))));
        }

        @Test
        void withSpringCloudKeepSpringRetryForIt() {
            rewriteRun(Project.with(DEPENDENCY, "org.springframework.cloud:spring-cloud-starter-loadbalancer:5.0.4")
                    .thatExplains(
                            "RetryOn: left as it is: Spring Cloud retries only with spring-retry on the class path",
                            srcMainJava(java(RETRIED, MOVED))));
        }

        @Test
        void thatKeepSomethingHaveBoth() {
            rewriteRun(
                    project.thatKeepsIt(srcMainJava(java(RETRIED, MOVED), java(APPLICATION)), srcTestJava(java("""
                            import org.springframework.retry.policy.NeverRetryPolicy;

                            class Policies {
                                NeverRetryPolicy never;
                            }
                            """))));
        }
    }
}
