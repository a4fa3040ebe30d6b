// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real HTTP server that counts its connections. It refuses the first two of three requests in a given way and answers the
 * third one with 200.
 */
final class CountingServer implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final AtomicInteger requests = new AtomicInteger();

    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private final ServerSocket server;

    private final Refusal refusal;

    CountingServer(Refusal refusal) {
        this.refusal = refusal;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        threads.execute(this::accept);
    }

    /** How a request is refused. */
    enum Refusal {
        EMPTY {
            @Override
            void write(OutputStream out) throws IOException {
                head(out, "Content-Length: 0");
            }
        },
        SHORT {
            @Override
            void write(OutputStream out) throws IOException {
                head(out, "Content-Length: 4");
                out.write("down".getBytes(StandardCharsets.US_ASCII));
            }
        },
        LONG {
            @Override
            void write(OutputStream out) throws IOException {
                head(out, "Content-Length: 1000000");
                out.write(new byte[1_000_000]);
            }
        },
        /** Stops in the middle of the body. */
        SILENT {
            @Override
            void write(OutputStream out) throws IOException {
                head(out, "Content-Length: 1000");
                out.write("down".getBytes(StandardCharsets.US_ASCII));
            }
        },
        /** Stops before the body. */
        MUTE {
            @Override
            void write(OutputStream out) throws IOException {
                head(out, "Content-Length: 1000");
            }
        },
        ENDLESS {
            @Override
            void write(OutputStream out) throws IOException {
                head(out, "Transfer-Encoding: chunked");
                byte[] chunk = ("4000\r\n" + "x".repeat(0x4000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
                while (true) {
                    out.write(chunk);
                }
            }
        };

        abstract void write(OutputStream out) throws IOException;

        private static void head(OutputStream out, String header) throws IOException {
            out.write(
                    ("HTTP/1.1 503 Service Unavailable\r\n" + header + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    String url() {
        return "http://" + server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
    }

    /** The number of connections that the client has not closed. */
    int open() {
        return open.size();
    }

    int requests() {
        return requests.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                open.add(socket);
                threads.execute(() -> serve(socket));
            }
        } catch (IOException ex) {
            return; // the server was closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = socket.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    if (requests.incrementAndGet() % 3 == 0) {
                        out.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII));
                    } else {
                        refusal.write(out);
                    }
                    out.flush();
                }
            }
        } catch (IOException ex) {
            return; // the client closed the connection
        } finally {
            open.remove(socket);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            server.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
