/** What actuator endpoints show of retried calls. Needs no Micrometer. */
@NullMarked
package dev.retryon.spring.actuate;

import org.jspecify.annotations.NullMarked;
