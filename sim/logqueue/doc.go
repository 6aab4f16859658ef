// Package logqueue keeps a log from stopping those who write it.
//
// A pipe that nobody reads blocks its writers once it is full. A [Queue] stands between: lines wait in a bounded buffer
// for one goroutine that writes them. A line is written at once, and those that follow within a few milliseconds together. If the buffer is full or the log can't be written, lines are dropped and counted,
// and a notice in their place says how many they were.
package logqueue
