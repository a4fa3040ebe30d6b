// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Deploys {@link RedeployedApplication} with a class loader of its own, closes it, and waits for the loader to be collected.
 * This library and the application are that loader's, all other libraries are the server's.
 */
final class RedeployServer {

    private static final String OURS = "dev.retryon.";

    private RedeployServer() {}

    public static void main(String[] arguments) throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());
        pool.prestartAllCoreThreads(); // by an application they would inherit its class loader
        makeWhatLibrariesKeep();
        boolean collected = false;
        try {
            for (String what : List.of("calls", "durable calls")) {
                Path store = what.equals("calls") ? null : Path.of(arguments[0], "calls.db");
                WeakReference<ClassLoader> loader = deploy(pool, store);
                collected = isCollected(loader);
                System.out.println((collected ? "collected: " : "not collected: ") + what);
                if (!collected) {
                    dump(Path.of(arguments[0], "heap.hprof"));
                    break;
                }
            }
        } finally {
            pool.shutdownNow();
        }
        System.exit(collected ? 0 : 1);
    }

    /**
     * What libraries make once a process: Spring the thread of a shutdown hook, an error of CGLIB's and editors of properties,
     * the driver a process, for which the JDK keeps a thread.
     */
    private static void makeWhatLibrariesKeep() throws SQLException {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Own.class)
                .web(WebApplicationType.NONE)
                .run("--type=java.lang.String");
        Binder.get(context.getEnvironment()).bind("type", Class.class);
        context.close();
        DriverManager.getConnection("jdbc:sqlite::memory:").close();
    }

    /** An application of the server's own. */
    @Configuration
    static class Own {

        @Bean
        String name() {
            return "own";
        }
    }

    /** Lets an application make its calls on threads of the server and on its own. */
    private static WeakReference<ClassLoader> deploy(ExecutorService pool, Path store) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (ApplicationLoader loader = new ApplicationLoader()) {
            thread.setContextClassLoader(loader);
            Class<?> type = loader.loadClass(RedeployedApplication.class.getName());
            if (type == RedeployedApplication.class) {
                throw new IllegalStateException("the application is not loaded by itself");
            }
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            @SuppressWarnings("unchecked")
            Consumer<Map<String, Object>> application = (Consumer<Map<String, Object>>) constructor.newInstance();
            application.accept(store == null ? Map.of("pool", pool) : Map.of("pool", pool, "store", store));
            return new WeakReference<>(loader);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static boolean isCollected(WeakReference<?> loader) throws InterruptedException {
        for (int round = 0; round < 100 && loader.get() != null; round++) {
            System.gc();
            Thread.sleep(50);
        }
        return loader.get() == null;
    }

    /** For whoever looks for what pins the loader. */
    private static void dump(Path file) throws IOException {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), true);
    }

    private static final class ApplicationLoader extends URLClassLoader {

        private ApplicationLoader() throws IOException {
            super(path(), RedeployServer.class.getClassLoader());
        }

        private static URL[] path() throws IOException {
            List<URL> path = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                path.add(Path.of(entry).toUri().toURL());
            }
            return path.toArray(URL[]::new);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }
}
