// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/** A task of the {@link DaemonTimer}, which knows its place in the heap so that it can be taken out without a search. */
abstract class TimedTask implements Runnable {

    /** The time at which the task is due, in the timer's nanoseconds. */
    long at;

    /** The place in the heap; -1 while the task is not in it. */
    int index = -1;
}
