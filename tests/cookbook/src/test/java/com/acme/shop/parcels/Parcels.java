// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.parcels;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.stereotype.Service;

@Service
public class Parcels {

    private final Carrier carrier;

    private volatile String token = "";

    public Parcels(Carrier carrier) {
        this.carrier = carrier;
    }

    @RetryOn(
            exceptions = {TokenExpiredException.class, IOException.class},
            beforeRetry = "refreshToken")
    public String track(String parcel) throws IOException {
        return carrier.track(parcel, token);
    }

    void refreshToken(TokenExpiredException error) throws IOException {
        token = carrier.login();
    }
}
