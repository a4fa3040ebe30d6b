// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AliasFor;

/** Which annotations an aspect sees, and how often an inherited method is retried. */
@ExtendWith(OutputCaptureExtension.class)
class DeclarationsTests {

    private final Partner partner = new Partner();

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() {
        context = AspectsModule.start(Shop.class);
    }

    @AfterAll
    static void close() {
        context.close();
    }

    /** How often the partner was asked. */
    private int attempts(ThrowingCallable call) {
        int before = partner.attempts("never");
        assertThatExceptionOfType(IOException.class).isThrownBy(call);
        return partner.attempts("never") - before;
    }

    @Test
    void aMethodThatOverridesAnotherOneIsRetriedOnce() {
        assertThat(attempts(new Louder(partner)::load)).isEqualTo(3);
    }

    @Test
    void anOverridingMethodWithoutAnAnnotationLeavesTheRetriesToTheOverriddenOne() {
        assertThat(attempts(new Quieter(partner)::load)).isEqualTo(3);
    }

    @Test
    void anOverridingMethodCanGiveTheRetriesUp() {
        assertThat(attempts(new Impatient(partner)::load)).isEqualTo(1);
    }

    @Test
    void anInheritedMethodIsRetried() {
        assertThat(attempts(new Heir(partner)::load)).isEqualTo(3);
    }

    @Test
    void aGenericMethodIsRetriedOnce() {
        Source<String> source = new TextSource(partner);

        assertThat(attempts(() -> source.load("never"))).isEqualTo(3);
    }

    @Test
    void anAnnotationOnAClassCoversItsPublicMethods() {
        Covered covered = new Covered(partner);

        assertThat(attempts(covered::open)).isEqualTo(3);
        assertThat(attempts(covered::inside)).isEqualTo(1);
        assertThat(attempts(Covered::ofNone)).isZero();
        assertThat(covered).hasToString("asked 4 times"); // 4 = 3 + 1
    }

    @Test
    void composedAndRepeatedAnnotationsCount() {
        Composed composed = new Composed(partner);

        assertThat(attempts(composed::patient)).isEqualTo(4);
        assertThat(attempts(composed::repeated)).isEqualTo(2);
        assertThat(attempts(composed::twice)).isEqualTo(5);
    }

    @Test
    void aRepeatedAnnotationCountsIfItsContainerIsAnnotated() {
        assertThat(attempts(new Repeated(partner)::seen)).isEqualTo(4);
    }

    @Test
    void aRepeatedAnnotationInAPlainContainerIsAWarning(CapturedOutput output) {
        AspectsModule.start(Hidden.class).close();

        assertThat(output)
                .containsOnlyOnce("RETRYON-W15: AspectJ has not woven " + Hidden.class.getName() + ".unseen, so")
                .contains("container of a repeatable annotation also needs @RetryOn");
    }

    @Test
    void anAnnotationTwoLevelsAboveDoesNotCount() {
        assertThat(attempts(new Composed(partner)::deep)).isEqualTo(1);
        // The overridden method is retried, with the settings of both.
        assertThat(attempts(new Deep(partner)::load)).isEqualTo(5);
    }

    @Test
    void aDefaultMethodOfAnInterfaceIsRetried() {
        assertThat(attempts(((Defaulted) () -> partner)::load)).isEqualTo(3);
    }

    @Test
    void anAnnotationOnAnInterfaceDoesNotCount() {
        Declared declared = new Implementation(partner);

        assertThat(attempts(declared::load)).isEqualTo(1);
    }

    static class Base {

        final Partner partner;

        Base(Partner partner) {
            this.partner = partner;
        }

        @RetryOn(IOException.class)
        String load() throws IOException {
            return partner.fetch("never");
        }
    }

    static class Louder extends Base {

        Louder(Partner partner) {
            super(partner);
        }

        @Override
        @RetryOn(IOException.class)
        String load() throws IOException {
            return super.load();
        }
    }

    static class Quieter extends Base {

        Quieter(Partner partner) {
            super(partner);
        }

        @Override
        String load() throws IOException {
            return super.load();
        }
    }

    static class Impatient extends Base {

        Impatient(Partner partner) {
            super(partner);
        }

        @Override
        @DoNotRetry
        String load() throws IOException {
            return super.load();
        }
    }

    static class Heir extends Base {

        Heir(Partner partner) {
            super(partner);
        }
    }

    interface Source<T> {

        T load(T name) throws IOException;
    }

    static class TextSource implements Source<String> {

        private final Partner partner;

        TextSource(Partner partner) {
            this.partner = partner;
        }

        @Override
        @RetryOn(IOException.class)
        public String load(String name) throws IOException {
            return partner.fetch(name);
        }
    }

    @RetryOn(IOException.class)
    static class Covered {

        private final Partner partner;

        Covered(Partner partner) {
            this.partner = partner;
        }

        public String open() throws IOException {
            return partner.fetch("never");
        }

        String inside() throws IOException {
            return partner.fetch("never");
        }

        public static void ofNone() throws IOException {
            throw new IOException("once");
        }

        @Override
        public String toString() {
            return "asked " + partner.attempts("never") + " times";
        }
    }

    @RetryOn(maxAttempts = 4)
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Patient {}

    @RetryOn(IOException.class)
    @RetryOn(maxAttempts = 5)
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @interface Twice {}

    @Twice
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface DeepTwice {}

    static class Deep extends Base {

        Deep(Partner partner) {
            super(partner);
        }

        @Override
        @DeepTwice
        String load() throws IOException {
            return super.load();
        }
    }

    @RetryOn
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Limits {

        Limit[] value();
    }

    @RetryOn
    @Repeatable(Limits.class)
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface Limit {

        @AliasFor(annotation = RetryOn.class)
        Class<? extends Throwable>[] exceptions() default {};

        @AliasFor(annotation = RetryOn.class)
        int maxAttempts() default RetryOn.INHERIT;
    }

    static class Repeated {

        private final Partner partner;

        Repeated(Partner partner) {
            this.partner = partner;
        }

        @Limit(exceptions = IOException.class)
        @Limit(maxAttempts = 4)
        void seen() throws IOException {
            partner.fetch("never");
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface PlainLimits {

        PlainLimit[] value();
    }

    @RetryOn(IOException.class)
    @Repeatable(PlainLimits.class)
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @interface PlainLimit {}

    static class Hidden {

        @PlainLimit
        @PlainLimit
        public void unseen() throws IOException {
            throw new IOException("once");
        }
    }

    static class Composed {

        private final Partner partner;

        Composed(Partner partner) {
            this.partner = partner;
        }

        @Patient
        @RetryOn(IOException.class)
        void patient() throws IOException {
            partner.fetch("never");
        }

        @Twice
        void twice() throws IOException {
            partner.fetch("never");
        }

        @DeepTwice
        void deep() throws IOException {
            partner.fetch("never");
        }

        @RetryOn(IOException.class)
        @RetryOn(value = UncheckedIOException.class, maxAttempts = 2)
        void repeated() throws IOException {
            partner.fetch("never");
        }
    }

    interface Defaulted {

        Partner partner();

        @RetryOn(IOException.class)
        default String load() throws IOException {
            return partner().fetch("never");
        }
    }

    interface Declared {

        @RetryOn(IOException.class)
        String load() throws IOException;
    }

    record Implementation(Partner partner) implements Declared {

        @Override
        public String load() throws IOException {
            return partner.fetch("never");
        }
    }
}
