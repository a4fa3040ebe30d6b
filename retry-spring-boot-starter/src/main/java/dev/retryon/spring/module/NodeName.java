// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this process. Operators use it to distinguish the processes behind a load balancer. */
public final class NodeName {

    private NodeName() {}

    /** {@return the host name and the process id, such as {@code shop-7d9f:1}} */
    public static String get() {
        return Holder.NAME;
    }

    /** Looks up the host name when it is first needed, because the look-up can take seconds. */
    private static final class Holder {

        static final String NAME = host() + ':' + ProcessHandle.current().pid();

        private static String host() {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException ex) {
                return "unknown";
            }
        }
    }
}
