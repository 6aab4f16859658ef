package scenario

import "gopkg.in/yaml.v3"

func (r *report) blame(from int, order []*layer, root *yaml.Node) {}
