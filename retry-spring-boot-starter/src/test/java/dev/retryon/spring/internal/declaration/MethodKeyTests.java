// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How methods are named, in properties and in stored calls. */
class MethodKeyTests {

    private static final String CLASS = Sample.class.getName();

    @Test
    void printsAShortAndALongForm() throws NoSuchMethodException {
        MethodKey key = MethodKey.of(Sample.class, method());
        assertThat(key)
                .hasToString(CLASS + "#run(java.lang.String,int[],java.util.Map$Entry,java.util.List[])")
                .extracting(MethodKey::toShortString)
                .isEqualTo(CLASS + "#run(String,int[],Entry,List[])");
    }

    @Test
    void theLongFormIsReadAsTheSameKey() throws NoSuchMethodException {
        MethodKey key = MethodKey.of(Sample.class, method());
        assertThat(MethodKey.parse(key.toString())).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"com.acme.Payments", "com.acme.Payments$Inner#charge", "com.acme.Payments#charge()"})
    void printsWhatItReads(String text) {
        assertThat(MethodKey.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#run | true",
                "#walk | false",
                "#run() | false",
                "#run(String, int[], Entry, List...) | true",
                "#run(java.lang.String,int[],Map$Entry,java.util.List[]) | true",
                "#run(String,int[],util.Map$Entry,List[]) | true",
                "#run(tring,int[],Entry,List[]) | false",
                "#run(String,int,Entry,List[]) | false",
                "#run(String,int[],Entry) | false"
            })
    void fitsMethodsWhoseTypesEndAsWritten(String key, boolean fits) throws NoSuchMethodException {
        assertThat(MethodKey.parse(CLASS + key).fits(method())).isEqualTo(fits);
    }

    private static Method method() throws NoSuchMethodException {
        return Sample.class.getDeclaredMethod("run", String.class, int[].class, Map.Entry.class, List[].class);
    }

    static class Sample {

        void run(String text, int[] numbers, Map.Entry<String, String> entry, List<?>... lists) {}
    }
}
