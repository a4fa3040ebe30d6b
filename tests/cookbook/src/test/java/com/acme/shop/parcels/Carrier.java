// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.parcels;

import java.io.IOException;

public interface Carrier {
    String login() throws IOException;

    String track(String parcel, String token) throws IOException;
}
