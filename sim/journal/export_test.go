package journal

// Used returns how many bytes are held.
func (b *Budget) Used() int64 { return b.used.Load() }
