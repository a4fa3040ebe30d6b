// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.catalogue;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

@Component
public class Catalogue {

    private final RestClient rest;

    public Catalogue(RestClient.Builder builder, @Value("${shop.catalogue.url}") String url) {
        this.rest = builder.baseUrl(url).build();
    }

    public String title(String isbn) {
        return rest.get().uri("/books/{isbn}", isbn).retrieve().body(String.class);
    }
}
