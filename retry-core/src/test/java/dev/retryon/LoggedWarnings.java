// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Takes the warnings of the core while it is open, in place of the console. */
final class LoggedWarnings extends Handler implements AutoCloseable {

    /** Held, because a logger that nobody holds is forgotten together with its handlers. */
    private final Logger logger = Logger.getLogger("dev.retryon");

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    LoggedWarnings() {
        this(Level.WARNING);
    }

    /** Takes what is logged at a level or above. */
    LoggedWarnings(Level level) {
        setLevel(level);
        logger.setLevel(level);
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    List<String> messages() {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    List<Throwable> causes() {
        return records.stream().map(LogRecord::getThrown).toList();
    }

    @Override
    public void publish(LogRecord logRecord) {
        records.add(logRecord);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(null);
        logger.setUseParentHandlers(true);
    }
}
