/** Architecture rules and the public API check, which the tests of all modules share. */
package dev.retryon.support;
