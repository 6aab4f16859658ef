// Package scenarios holds the scenarios that come with the simulator: a YAML file each, named by the scenario.
package scenarios

import "embed"

// Files are the scenarios, NAME.yaml each.
//
//go:embed *.yaml
var Files embed.FS
