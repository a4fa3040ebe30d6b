// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.cards;

public interface Vault {

    String encrypt(String text);

    String decrypt(String text);
}
