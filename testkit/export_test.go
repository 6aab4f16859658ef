package testkit

import "time"

// Age lets time pass since the bank's time to live was renewed.
func (b *Bank) Age(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.renewed = b.renewed.Add(-d)
}
