// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** An address where connections are refused: taken, so that nobody else can come to listen there, and not listened at. */
final class RefusedAddress implements AutoCloseable {

    private final Socket taken = new Socket();

    RefusedAddress() throws IOException {
        taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    String url() {
        return "http://" + taken.getLocalAddress().getHostAddress() + ":" + taken.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        taken.close();
    }
}
