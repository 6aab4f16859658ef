// Package watch has the sandboxes follow a scenario's files: what they come to hold replaces the scenario, and where
// that is bad, the last good one stays.
package watch
