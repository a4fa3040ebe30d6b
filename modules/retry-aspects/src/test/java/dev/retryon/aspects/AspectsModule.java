// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.aspects.autoconfigure.RetryAspectsAutoConfiguration;
import dev.retryon.spring.autoconfigure.BootRun;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Adds this module to an application that a test starts. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration(RetryAspectsAutoConfiguration.class)
class AspectsModule {

    /** Starts an application in AspectJ mode. */
    static ConfigurableApplicationContext start(Class<?>... beans) {
        return run("aspectj", beans).start();
    }

    static BootRun run(String mode, Class<?>... beans) {
        Class<?>[] all = java.util.Arrays.copyOf(beans, beans.length + 1);
        all[beans.length] = AspectsModule.class;
        return BootRun.of("mode " + mode, "retryon:\n  mode: " + mode + "\n  defaults:\n    delay: 1ms", all);
    }
}
