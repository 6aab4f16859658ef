package journal

import "bytes"

// Where an equal body is looked for (choice).
const (
	lookedBack = 8   // of the newest exchanges
	sharedFrom = 512 // bytes: a smaller body isn't worth it
)

// shareBody lets an entry hold the answer's body of one of the newest entries in place of its own, if they are equal: between two
// changes, reads are answered alike. The body still counts as the entry's own, so what a journal keeps doesn't depend on who
// shares with whom.
func (j *Journal) shareBody(e *entry) {
	own := e.response.text
	if len(own) < sharedFrom {
		return
	}
	var newest [lookedBack][]byte
	j.mu.Lock()
	for i, held := range j.entries[max(0, len(j.entries)-lookedBack):] {
		newest[i] = held.response.text
	}
	j.mu.Unlock()
	for _, body := range newest {
		if bytes.Equal(body, own) {
			e.response.text = body
			return
		}
	}
}
