// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** A future that is not a stage can only be waited for; by whom. */
@Timeout(60)
class PlainFutureTests {

    private static final Duration SOON = Duration.ofMinutes(1);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withBean(Mails.class);

    @Test
    void manyThatAreWaitedForLeaveTheCommonPoolFree() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            List<Future<String>> sent = new ArrayList<>();
            for (int i = 0; i < ForkJoinPool.getCommonPoolParallelism() + 8; i++) {
                sent.add(mails.send());
            }

            assertThat(ForkJoinPool.commonPool().submit(() -> "free"))
                    .succeedsWithin(SOON)
                    .isEqualTo("free");
            mails.release();
            assertThat(sent)
                    .allSatisfy(
                            future -> assertThat(future).succeedsWithin(SOON).isEqualTo("sent"));
        });
    }

    @Test
    void theExecutorForRetriesWaits() {
        List<Runnable> tasks = new ArrayList<>();
        runner.withBean("retryOnTaskExecutor", Executor.class, () -> tasks::add).run(context -> {
            Future<String> sent = context.getBean(Mails.class).send();
            assertThat(tasks).hasSize(1);
            context.getBean(Mails.class).release();
            tasks.get(0).run();
            assertThat(sent).succeedsWithin(SOON).isEqualTo("sent");
        });
    }

    @Test
    void aThreadOfItsOwnWaitsIfThatExecutorRefuses() {
        Executor full = task -> {
            throw new RejectedExecutionException("full");
        };
        runner.withBean("retryOnTaskExecutor", Executor.class, () -> full).run(context -> {
            Future<String> sent = context.getBean(Mails.class).send();
            context.getBean(Mails.class).release();
            assertThat(sent).succeedsWithin(SOON).isEqualTo("sent");
        });
    }

    @Test
    void noThreadWaitsForOneThatIsDone() {
        Executor none = task -> {
            throw new AssertionError("asked for a thread");
        };
        runner.withBean("retryOnTaskExecutor", Executor.class, () -> none).run(context -> {
            assertThat(context.getBean(Mails.class).sent()).isDone();
        });
    }

    @Test
    void thatThereIsNoExecutorForRetriesIsLookedUpOnce() {
        AtomicInteger lookUps = new AtomicInteger();
        new ApplicationContextRunner(() -> new AnnotationConfigApplicationContext(new DefaultListableBeanFactory() {
                    @Override
                    public boolean containsBean(String name) {
                        if (name.equals("retryOnTaskExecutor")) {
                            lookUps.incrementAndGet();
                        }
                        return super.containsBean(name);
                    }
                }))
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withBean(Mails.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    mails.send().cancel(true);
                    mails.send().cancel(true);

                    assertThat(lookUps).hasValue(1);
                });
    }

    @Test
    void cancellingCancelsIt() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            mails.send().cancel(true);
            assertThat(mails.last()).isCancelled();
        });
    }

    static class Mails {

        private final CountDownLatch release = new CountDownLatch(1);

        private volatile FutureTask<String> last;

        public void release() {
            release.countDown();
        }

        public FutureTask<String> last() {
            return last;
        }

        @RetryOn(IOException.class)
        public Future<String> send() {
            FutureTask<String> task = new FutureTask<>(() -> {
                release.await();
                return "sent";
            });
            last = task;
            Thread thread = new Thread(task, "mail");
            thread.setDaemon(true);
            thread.start();
            return task;
        }

        @RetryOn(IOException.class)
        public Future<String> sent() {
            FutureTask<String> task = new FutureTask<>(() -> "sent");
            task.run();
            return task;
        }
    }
}
