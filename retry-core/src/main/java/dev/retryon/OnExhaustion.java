package dev.retryon;

/** What happens to a call that ends in failure. */
public enum OnExhaustion {

    /** Says nothing: a weaker layer, in the end the default, decides. Not allowed in a policy. */
    INHERIT,

    /** The caller gets the last attempt's error. The default. */
    RETHROW
}
