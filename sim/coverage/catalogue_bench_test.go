package coverage

import "testing"

// BenchmarkIndex builds what every start of the simulator builds.
func BenchmarkIndex(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newIndex()
	}
}
