// Package scenarios holds the built-in scenarios, a YAML file each. It reads none: package sim/scenario does. Start at
// retail.yaml.
package scenarios

import "embed"

// Files are the scenarios, in files called NAME.yaml.
//
//go:embed *.yaml
var Files embed.FS
