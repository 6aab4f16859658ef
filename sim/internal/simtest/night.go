package simtest

import (
	"os"
	"testing"
)

// Night skips a test that is too long for every day, or needs a program that a fresh machine does not have, unless
// BANKSIM_NIGHT=1 asks for it. Then nothing is skipped: what the test needs and does not find fails it.
func Night(t testing.TB, why string) {
	t.Helper()
	if !isNight() {
		t.Skip(why + ": it runs with BANKSIM_NIGHT=1")
	}
}

// Times returns how often a test does something: more often at night.
func Times(byDay, byNight int) int {
	if isNight() {
		return byNight
	}
	return byDay
}

func isNight() bool { return os.Getenv("BANKSIM_NIGHT") == "1" }
