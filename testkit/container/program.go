//go:build banksim_program

// This file is never compiled. go mod tidy and go mod vendor heed every build tag. So its import makes them keep the
// code of the image's program in an app that imports this package. The image can then be built without network and from
// a vendor folder.

package container

import _ "github.com/digitalbanking-sim/banksim/cmd/banksim"
