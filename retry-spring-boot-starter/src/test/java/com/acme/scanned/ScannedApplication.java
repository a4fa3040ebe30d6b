// SPDX-License-Identifier: Apache-2.0
package com.acme.scanned;

import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;

/** Finds the service beside it by a scan. */
@Configuration(proxyBeanMethods = false)
@ComponentScan
public class ScannedApplication {}
