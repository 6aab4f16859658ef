package contract

import "slices"

// list is a list that others extend, such as the rules that refuse all requests of a family.
type list[E any] []E

// and returns the list with more elements at its end. It doesn't change the list.
func (l list[E]) and(more ...E) list[E] { return append(slices.Clip(l), more...) }
