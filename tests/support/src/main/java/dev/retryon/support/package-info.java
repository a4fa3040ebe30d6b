/** The rules of architecture and the comparison of the public API, for the tests of all modules. */
package dev.retryon.support;
