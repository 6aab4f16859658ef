//go:build banksim_program

// This file is never compiled: its import makes go mod tidy and go mod vendor, which heed every build tag, keep what the
// image's program is made of, for an app that imports this package. So the image can be built without network and from a
// vendor folder.

package container

import _ "github.com/digitalbanking-sim/banksim/cmd/banksim"
