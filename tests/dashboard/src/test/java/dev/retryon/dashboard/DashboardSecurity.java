/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.dashboard;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.csrf.CookieServerCsrfTokenRepository;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.security.web.server.csrf.ServerCsrfTokenRequestAttributeHandler;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** With {@code secured=true}, only user {@code operator} may ask, and changes need the token that the page finds in a cookie. */
@Configuration(proxyBeanMethods = false)
class DashboardSecurity {

    /**
     * The only user. It is not in a store that Spring Security could update, because it would encode the password on the first
     * login, and checking an encoded one takes longer than loading the page.
     */
    private static UserDetails operator() {
        return User.withUsername("operator")
                .password("{noop}password")
                .roles("OPERATOR")
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class Servlet {

        @Bean
        @ConditionalOnProperty("secured")
        SecurityFilterChain onlyOperators(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .csrf(csrf -> csrf.spa())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        @ConditionalOnProperty(name = "secured", havingValue = "false", matchIfMissing = true)
        SecurityFilterChain everybody(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return name -> operator();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Reactive {

        @Bean
        @ConditionalOnProperty("secured")
        SecurityWebFilterChain onlyOperators(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().authenticated())
                    .csrf(csrf -> csrf.csrfTokenRepository(CookieServerCsrfTokenRepository.withHttpOnlyFalse())
                            .csrfTokenRequestHandler(new ServerCsrfTokenRequestAttributeHandler()))
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        /** The token is written into its cookie once somebody asks for it. */
        @Bean
        @ConditionalOnProperty("secured")
        WebFilter csrfCookie() {
            return (exchange, chain) -> {
                Mono<CsrfToken> token = exchange.getAttribute(CsrfToken.class.getName());
                return (token == null ? Mono.empty() : token).then(chain.filter(exchange));
            };
        }

        @Bean
        @ConditionalOnProperty(name = "secured", havingValue = "false", matchIfMissing = true)
        SecurityWebFilterChain everybody(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        @Bean
        ReactiveUserDetailsService users() {
            return name -> Mono.just(operator());
        }
    }
}
