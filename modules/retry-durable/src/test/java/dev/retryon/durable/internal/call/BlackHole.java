// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A link to a server on this machine that can stop to deliver anything, while all of its connections stay open. */
final class BlackHole implements AutoCloseable {

    private final ServerSocket door;

    private final int server;

    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    private final CountDownLatch closed = new CountDownLatch(1);

    private volatile boolean frozen;

    BlackHole(int server) throws IOException {
        this.server = server;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    void freeze() {
        frozen = true;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "black-hole");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket target = new Socket(InetAddress.getLoopbackAddress(), server);
                sockets.add(client);
                sockets.add(target);
                daemon(() -> pass(client, target));
                daemon(() -> pass(target, client));
            }
        } catch (IOException ex) {
            return; // closed
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (frozen) {
                    closed.await();
                }
                out.write(buffer, 0, read);
                out.flush();
            }
        } catch (IOException | InterruptedException ex) {
            return; // an end is closed
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        door.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
