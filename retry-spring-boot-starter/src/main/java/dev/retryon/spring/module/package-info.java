// SPDX-License-Identifier: Apache-2.0
/**
 * The types of the starter that other modules of RetryOn can use. Starter packages with {@code internal} in their
 * names are for the starter alone. Modules have the same version as the starter, so these types can change in any
 * version. Applications must not use them.
 *
 * <table class="striped">
 *   <caption>The types by concept</caption>
 *   <thead><tr><th scope="col">Concept</th><th scope="col">Types</th></tr></thead>
 *   <tbody>
 *     <tr><th scope="row">Retried methods and HTTP clients</th><td>{@link dev.retryon.spring.module.RetriedMethods},
 *       {@link dev.retryon.spring.module.RetriedMethod}, {@link dev.retryon.spring.module.MethodsCheck},
 *       {@link dev.retryon.spring.module.ClientRetries}, {@link dev.retryon.spring.module.Weaving}</td></tr>
 *     <tr><th scope="row">Settings and their sources</th><td>{@link dev.retryon.spring.module.Setting},
 *       {@link dev.retryon.spring.module.SettingGroup}, {@link dev.retryon.spring.module.RetrySettings},
 *       {@link dev.retryon.spring.module.EffectiveSettings}, {@link dev.retryon.spring.module.SettingSource}</td></tr>
 *     <tr><th scope="row">Faults, warnings and errors</th><td>{@link dev.retryon.spring.module.RetryFaults},
 *       {@link dev.retryon.spring.module.RetryWarning}, {@link dev.retryon.spring.module.ExtensionErrors},
 *       {@link dev.retryon.spring.module.NamedError}, {@link dev.retryon.spring.module.StarterLog}</td></tr>
 *     <tr><th scope="row">Changes while the application runs</th><td>{@link dev.retryon.spring.module.RuntimeChange},
 *       {@link dev.retryon.spring.module.ChangesForAllNodes},
 *       {@link dev.retryon.spring.module.SettingsChanges}</td></tr>
 *     <tr><th scope="row">Calls that run later</th><td>{@link dev.retryon.spring.module.HandoverBackend}</td></tr>
 *     <tr><th scope="row">Endpoints</th><td>{@link dev.retryon.spring.module.EndpointRequest},
 *       {@link dev.retryon.spring.module.ShownValues}, {@link dev.retryon.spring.module.RecentCounts},
 *       {@link dev.retryon.spring.module.NodeName}</td></tr>
 *     <tr><th scope="row">Helpers</th><td>{@link dev.retryon.spring.module.LookUp},
 *       {@link dev.retryon.spring.module.BackgroundTasks}</td></tr>
 *   </tbody>
 * </table>
 */
@NullMarked
package dev.retryon.spring.module;

import org.jspecify.annotations.NullMarked;
