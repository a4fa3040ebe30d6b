/**
 * RetryOn's policy engine: policies, backoff, the retry loop and its events. The engine does not depend on Spring,
 * Micrometer or JDBC.
 */
module dev.retryon.core {
    requires static transitive org.jspecify;

    exports dev.retryon;
    exports dev.retryon.backoff;
    exports dev.retryon.budget;
}
