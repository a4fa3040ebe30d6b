// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
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

    private static UserDetails operator() {
        return User.withUsername("operator")
                .password("password")
                .roles("OPERATOR")
                .build();
    }

    /**
     * Compares passwords as they are. The default would encode this one on the first login, or on each, and check an encoded one
     * for each file of the page, which takes longer than the rest of a test.
     */
    @Bean
    static PasswordEncoder plain() {
        return new PasswordEncoder() {

            @Override
            public String encode(CharSequence password) {
                return password.toString();
            }

            @Override
            public boolean matches(CharSequence password, String expected) {
                return expected.contentEquals(password);
            }
        };
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
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(operator());
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
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(operator());
        }
    }
}
