/**
 * Support for tests of durable calls, which are stored in memory and run when the test advances the time.
 *
 * <pre>{@code
 * @SpringBootTest
 * @VirtualDurableCalls
 * class MailsTests {
 *
 *     @Autowired Mails mails;
 *     @Autowired VirtualCalls calls;
 *
 *     @Test
 *     void sendsLater() {
 *         mails.send("a@acme.com"); // fails, so it is stored
 *         calls.advance(ofMinutes(5));
 *         assertThat(calls.waiting()).isEmpty();
 *     }
 * }
 * }</pre>
 */
@NullMarked
package dev.retryon.test.durable;

import org.jspecify.annotations.NullMarked;
