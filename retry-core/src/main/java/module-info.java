/** RetryOn's policy engine: policies, backoff, the loop and its events. It knows nothing of Spring, Micrometer or JDBC. */
module dev.retryon.core {
    requires static transitive org.jspecify;

    exports dev.retryon;
    exports dev.retryon.backoff;
    exports dev.retryon.budget;
}
