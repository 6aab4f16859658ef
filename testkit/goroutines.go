package testkit

// IgnoreGoroutines returns the names of the functions whose goroutines the simulator in the test's process keeps until the
// test binary ends: those of its two listeners. All else ends with the banks. A leak detector has to ignore these functions,
// wherever they are on a goroutine's stack. With go.uber.org/goleak:
//
//	func TestMain(m *testing.M) {
//		var options []goleak.Option
//		for _, function := range testkit.IgnoreGoroutines() {
//			options = append(options, goleak.IgnoreAnyFunction(function))
//		}
//		goleak.VerifyTestMain(m, options...)
//	}
//
// To look for leaks at the end of one test, register that before [Start], so that it comes after the end of the bank:
//
//	t.Cleanup(func() { goleak.VerifyNone(t, options...) })
func IgnoreGoroutines() []string {
	return []string{
		"github.com/digitalbanking-sim/banksim/sim/server.(*Server).serve",
		"github.com/digitalbanking-sim/banksim/sim/server.(*begunListener).accept",
	}
}
