/**
 * For tests of applications: retries without waiting, and assertions about what was retried. Needs AssertJ.
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
package dev.retryon.spring.test;

import org.jspecify.annotations.NullMarked;
