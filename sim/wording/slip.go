package wording

// Slip returns the known name that a name is most likely a slip of: it differs from it only by case, separators and few
// characters, one in four at most and at least one. Unlike [Nearest], it is for names that may also be somebody's own.
func Slip(name string, known []string) (string, bool) {
	near, ok := Nearest(name, known)
	if !ok {
		return "", false
	}
	folded := []rune(fold(name))
	if Edits(folded, []rune(fold(near))) > max(1, len(folded)/4) {
		return "", false
	}
	return near, true
}
