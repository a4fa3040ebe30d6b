// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Everybody may ask; who does so as user {@code operator} is known by name, on either stack. What is done is audited. */
@Configuration(proxyBeanMethods = false)
public class OperatorAccess {

    @Bean
    AuditEventRepository audit() {
        return new InMemoryAuditEventRepository();
    }

    private static UserDetails operator() {
        return User.withUsername("operator")
                .password("{noop}password")
                .roles("OPERATOR")
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    public static class Servlet {

        @Bean
        SecurityFilterChain everybodyMayAsk(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        /** Not the manager itself, because Spring Security would encode its password with bcrypt, which is slow on purpose. */
        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(operator())::loadUserByUsername;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    public static class Reactive {

        @Bean
        SecurityWebFilterChain everybodyMayAsk(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        ReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(operator())::findByUsername;
        }
    }
}
