package journal

func (b *Budget) Used() int64 { return b.used.Load() }
