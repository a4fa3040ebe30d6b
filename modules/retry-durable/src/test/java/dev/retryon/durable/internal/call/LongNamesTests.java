// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Methods and beans whose names are longer than anybody would expect: their calls are stored, die and are sent again. */
@Tag("database")
class LongNamesTests {

    private static final String FIFTY = "names-that-are-long-names-that-are-long-names-that";

    private static final String NAME = FIFTY + FIFTY + FIFTY + FIFTY + FIFTY + FIFTY;

    @Test
    void aCallIsStoredAndDiesAndIsSentAgainHoweverLongItsNamesAre() {
        DurableTrial.postgres().withBean("bean-" + NAME, Mails.class).run(context -> {
            Mails mails = context.getBean(Mails.class);
            WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                    no = null;

            mails.send("17", no, no, no, no, no, no, no, no, no, no, no, no, no, no);

            await().until(() -> DurableTrial.deadLetters(context).size() == 1);
            DeadLetter letter = DurableTrial.deadLetters(context).get(0);
            assertThat(letter.method()).hasSizeGreaterThan(2000);
            assertThat(letter.bean()).isEqualTo("bean-" + NAME);
            assertThat(NAME).startsWith(letter.name());

            mails.recover();
            assertThat(context.getBean(StoredCalls.class).resend(letter.id())).isTrue();
            await().until(() -> mails.sent().equals(List.of("17")));
        });
    }

    /** Has nothing but a name. */
    static
    class WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong {}

    static class Mails {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        private volatile boolean isDown = true;

        List<String> sent() {
            return sent;
        }

        void recover() {
            isDown = false;
        }

        @RetryOn(value = IOException.class, name = NAME, maxAttempts = 2)
        @Durable(ON_FAILURE)
        public void send(
                String id,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        a,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        b,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        c,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        d,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        e,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        f,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        g,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        h,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        i,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        j,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        k,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        l,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        m,
                WithANameOfMoreThanOneHundredLettersWhichIsWrittenInFullForEachOfTheParametersThatHaveItAndMakesKeysLong
                        n)
                throws IOException {
            if (isDown) {
                throw new IOException("down");
            }
            sent.add(id);
        }
    }
}
