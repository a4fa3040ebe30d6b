// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.outside;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The payment gateway, the stock service and the mail server, which are a real HTTP server on a free port of this
 * machine.
 */
@Component
public class OutsideWorld implements DisposableBean {

    private final Map<String, OutsideService> services = new LinkedHashMap<>();

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final HttpServer server;

    /** Tests close connections, because a timeout could also end while an answer is on its way. */
    OutsideWorld(@Value("${outside.hanging-up:false}") boolean hangingUp) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        for (String name : new String[] {"payment", "stock", "mail"}) {
            OutsideService service = new OutsideService(hangingUp);
            services.put(name, service);
            server.createContext("/" + name, service);
        }
        server.start();
    }

    /**
     * Returns the address of a service.
     *
     * @param name the service: payment, stock or mail
     * @return the base address of the service
     */
    public String url(String name) {
        return "http://localhost:" + server.getAddress().getPort() + "/" + name;
    }

    /**
     * Sets the next answers of a service and clears its past answers.
     *
     * @param name the service: payment, stock or mail
     * @param script statuses and timeouts, separated by commas; after the script, the service answers 200
     * @return the state of the service
     * @throws IllegalArgumentException if the service is unknown or the script is invalid
     */
    public OutsideReport answer(String name, String script) {
        OutsideService service = service(name);
        service.follow(Answer.parse(script));
        return service.report();
    }

    /**
     * Returns the requests that a service has received.
     *
     * @param name the service: payment, stock or mail
     * @return the state of the service
     * @throws IllegalArgumentException if the service is unknown
     */
    public OutsideReport report(String name) {
        return service(name).report();
    }

    /**
     * Returns the requests that all services have received.
     *
     * @return the reports, by name of the service
     */
    public Map<String, OutsideReport> reports() {
        Map<String, OutsideReport> reports = new LinkedHashMap<>();
        services.forEach((name, service) -> reports.put(name, service.report()));
        return Collections.unmodifiableMap(reports);
    }

    private OutsideService service(String name) {
        OutsideService service = services.get(name);
        if (service == null) {
            throw new IllegalArgumentException(
                    "no service is named '" + name + "'; use one of " + String.join(", ", services.keySet()));
        }
        return service;
    }

    @Override
    public void destroy() {
        services.values().forEach(OutsideService::release);
        server.stop(0);
        threads.shutdownNow();
    }
}
