// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.cards;

public record CardNumber(String digits) {}
