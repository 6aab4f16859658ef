// Package fault injects failures on purpose: exactly when they are wanted, and the same in every run. It knows no
// HTTP server and no bank: sim/bankapi asks a [Set] once for each request which rules fire, and delivers what they
// do. Start at rule.go.
package fault
