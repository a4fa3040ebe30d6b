// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.util.Objects;

/**
 * A call of a retried method on the same bean. Such a call bypasses the proxy, so it is not retried.
 *
 * @since 0.1.0
 */
public final class SelfInvocation {

    private final String caller;

    private final String retriedMethod;

    private final String place;

    SelfInvocation(String caller, String retriedMethod, String place) {
        this.caller = caller;
        this.retriedMethod = retriedMethod;
        this.place = place;
    }

    /**
     * Returns the method that contains the call. If the call is in a lambda or an inner class, this is the method
     * that the compiler generated.
     *
     * @return the method, such as {@code OrderService.placeAll}
     */
    public String caller() {
        return caller;
    }

    /**
     * Returns the retried method that is called.
     *
     * @return the method, such as {@code OrderService.place}
     */
    public String retriedMethod() {
        return retriedMethod;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SelfInvocation that
                && caller.equals(that.caller)
                && retriedMethod.equals(that.retriedMethod)
                && place.equals(that.place);
    }

    @Override
    public int hashCode() {
        return Objects.hash(caller, retriedMethod, place);
    }

    /**
     * Describes the call and where it is in the source.
     *
     * @return a description such as {@code OrderService.placeAll calls OrderService.place
     *     on itself, bypassing the proxy (OrderService.java:42)}
     */
    @Override
    public String toString() {
        return caller + " calls " + retriedMethod + " on itself, bypassing the proxy (" + place + ")";
    }
}
