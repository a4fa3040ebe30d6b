/** Internal. The data that actuator endpoints show. Their JSON is for users, their classes are not. Needs no Micrometer. */
@NullMarked
package dev.retryon.spring.internal.actuate;

import org.jspecify.annotations.NullMarked;
