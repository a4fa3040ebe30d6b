// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.newsletter;

public record CustomerRegistered(String email) {}
