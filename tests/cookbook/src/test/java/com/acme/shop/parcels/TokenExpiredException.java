// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.parcels;

public class TokenExpiredException extends RuntimeException {

    private static final long serialVersionUID = 1L;
}
