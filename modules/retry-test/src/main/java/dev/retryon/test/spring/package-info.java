/**
 * Support for tests of Spring applications: retries without delays, recorded calls as a bean, injected faults, and a
 * check that finds calls that bypass the proxy.
 *
 * <pre>{@code
 * @SpringBootTest
 * @VirtualRetries
 * class PaymentServiceTests {
 *
 *     @Autowired PaymentService payments;
 *     @Autowired RecordedRetries retries;
 *
 *     @Test
 *     void chargesAgainWhenTheGatewayIsDown() {
 *         payments.charge(order);
 *         assertThat(retries).of("PaymentService.charge").attempted(3).waited(ofSeconds(1), ofSeconds(2)).succeeded();
 *     }
 * }
 * }</pre>
 */
@NullMarked
package dev.retryon.test.spring;

import org.jspecify.annotations.NullMarked;
