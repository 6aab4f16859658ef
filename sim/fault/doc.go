// Package fault injects failures on purpose: exactly when they are wanted, and the same in every run. It knows no bank.
// For each request sim/bankapi asks a [Set] once which rules fire, and delivers the answer with their effects. Start at
// rule.go. To add a kind of connection fault, write a file like reset.go, and add the type to [Kinds].
package fault
