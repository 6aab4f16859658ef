// Package coverage knows which of the answers that the contract documents a test suite has met, and how often: by the bank itself,
// or because a fault answered. It reads no journal: it counts while the bank answers, so it is exact however much the journals
// evict. Start at counter.go.
package coverage
