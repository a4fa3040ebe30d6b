// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The column by which a process determines whether it can run a call: a hash of the method's key, which is short and of a
 * fixed length, and marks of the versions of the application that could not read the content of the call. The column is
 * empty if the method is unknown, because another program has written the row.
 */
public final class MethodHash {

    /** The hash that represents calls to any method. */
    public static final String UNKNOWN = "";

    private static final int HASH_BYTES = 16;

    private static final int MARK_BYTES = 4;

    private static final String SEPARATOR = ".";

    /** The number of marks that fit into the column. The oldest mark is dropped to make room for a new one. */
    private static final int MARKS = 6;

    private MethodHash() {}

    public static String of(String key) {
        return hash(key, HASH_BYTES);
    }

    public static String hash(String text, int bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException(ex); // each Java platform supports it
        }
    }

    /** Returns the mark of a version of the application. */
    public static String mark(String version) {
        return SEPARATOR + hash(version, MARK_BYTES);
    }

    /** Returns a column's hash without its marks. */
    public static String unmarked(String column) {
        int end = column.indexOf(SEPARATOR);
        return end < 0 ? column : column.substring(0, end);
    }

    public static boolean isMarked(String column, String mark) {
        return column.contains(mark);
    }

    /** Returns a method's hash with the latest marks of a column and the given mark, which comes last. */
    public static String marked(String hash, String column, String mark) {
        List<String> marks = new ArrayList<>(List.of(column.split("\\.")));
        marks.remove(0);
        marks.remove(mark.substring(SEPARATOR.length()));
        List<String> latest = marks.subList(Math.max(0, marks.size() - MARKS + 1), marks.size());
        return hash + latest.stream().map(each -> SEPARATOR + each).reduce("", String::concat) + mark;
    }
}
