// Package crash logs panics that were recovered from, a bounded number of them.
//
// A request that makes a handler panic is answered all the same, and its sender can repeat it as fast as it likes. A
// stack is some kilobytes, so a [Log] writes one a second at most, and then how many others there were.
package crash
