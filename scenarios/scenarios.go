// Package scenarios holds the built-in scenarios, a YAML file each.
package scenarios

import "embed"

// Files are the scenarios, in files called NAME.yaml.
//
//go:embed *.yaml
var Files embed.FS
