package journal

// besidesPart is the part of a budget that may be kept besides exchanges: a quarter (choice).
const besidesPart = 4

// Besides is the part of a budget that is for what is kept besides exchanges, such as the worlds around them. It counts in the
// budget, too, but has a limit of its own, so that it pushes out at most that part of the exchanges. Where it is used up, the
// largest holders shrink to a common level.
type Besides struct {
	pool
	whole *Budget
}

// Besides returns the part of the budget for what is kept besides exchanges.
func (b *Budget) Besides() *Besides { return &b.besides }

// Join adds a holder, until it leaves.
func (b *Besides) Join(h Holder) { b.join(h) }

// Leave removes a holder, which has released all its bytes.
func (b *Besides) Leave(h Holder) { b.leave(h) }

// Reserve takes bytes for what is to be held. It returns false where that is larger than the whole part. The caller holds no
// lock that a holder takes to shrink.
func (b *Besides) Reserve(bytes int64) bool {
	if !b.reserve(bytes) {
		return false
	}
	if !b.whole.reserve(bytes) {
		b.release(bytes)
		return false
	}
	return true
}

// Release gives bytes back.
func (b *Besides) Release(bytes int64) {
	b.release(bytes)
	b.whole.release(bytes)
}
