package sandbox

import (
	"maps"
	"slices"
)

// Default is the name of the sandbox that always exists: the one behind a base URL that names none.
const Default = "default"

// Registry holds the sandboxes of a server by name.
type Registry struct {
	sandboxes map[string]*Sandbox
}

// NewRegistry returns a registry with the default sandbox.
func NewRegistry(byDefault *Sandbox) *Registry {
	return &Registry{sandboxes: map[string]*Sandbox{Default: byDefault}}
}

// Get returns a sandbox by name.
func (r *Registry) Get(name string) (*Sandbox, bool) {
	s, ok := r.sandboxes[name]
	return s, ok
}

// All returns every sandbox, by name.
func (r *Registry) All() []*Sandbox {
	all := make([]*Sandbox, 0, len(r.sandboxes))
	for _, name := range slices.Sorted(maps.Keys(r.sandboxes)) {
		all = append(all, r.sandboxes[name])
	}
	return all
}
