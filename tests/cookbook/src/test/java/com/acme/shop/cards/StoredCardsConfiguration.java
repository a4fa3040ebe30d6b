// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.cards;

import dev.retryon.durable.ArgumentMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.geo.GeoJacksonModule;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

@Configuration(proxyBeanMethods = false)
public class StoredCardsConfiguration {

    @Bean
    ArgumentMapperBuilderCustomizer encryptsCardNumbers(Vault vault) {
        SimpleModule module = new SimpleModule("card numbers");
        module.addSerializer(CardNumber.class, new StdSerializer<>(CardNumber.class) {
            @Override
            public void serialize(CardNumber card, JsonGenerator json, SerializationContext context) {
                json.writeString(vault.encrypt(card.digits()));
            }
        });
        module.addDeserializer(CardNumber.class, new StdDeserializer<>(CardNumber.class) {
            @Override
            public CardNumber deserialize(JsonParser json, DeserializationContext context) {
                return new CardNumber(vault.decrypt(json.getString()));
            }
        });
        return builder -> builder.addModule(module);
    }

    @Bean
    ArgumentMapperBuilderCustomizer storesPoints() {
        return builder -> builder.addModule(new GeoJacksonModule());
    }
}
