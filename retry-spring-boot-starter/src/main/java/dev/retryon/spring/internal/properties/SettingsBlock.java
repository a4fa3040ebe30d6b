// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

/** A block of settings, in which groups of settings have blocks too. */
public interface SettingsBlock {}
