package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// program is the command of the image, in the version that the app's module graph names.
const program = "github.com/digitalbanking-sim/banksim/cmd/banksim"

// lockPoll is how often a test binary checks whether another one has finished compiling.
const lockPoll = 50 * time.Millisecond

// buildFolder is where the go command runs: the folder of the tests, in the app's module, whatever folder they change to.
var buildFolder, buildFolderErr = os.Getwd()

// buildFlags override what GOFLAGS may say for tests. Only what says where modules come from, -mod and -modfile, stays as
// it is for the tests, because the program has to be that of the app's own module graph.
var buildFlags = []string{
	"-tags=", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=", "-asmflags=",
	"-race=false", "-msan=false", "-asan=false", "-cover=false", "-buildmode=exe",
}

// compile returns the program for Linux on an architecture, as Go names it. It writes it to a folder first.
func compile(ctx context.Context, folder, arch string) ([]byte, error) {
	if buildFolderErr != nil {
		return nil, fmt.Errorf("finding the folder of the tests: %w", buildFolderErr)
	}
	// The file stays: if it is up to date, the go command doesn't link it again.
	file := filepath.Join(folder, "banksim-"+arch)
	build := exec.CommandContext(ctx, "go", append(append([]string{"build", "-o", file}, buildFlags...), program)...)
	build.Dir = buildFolder
	build.WaitDelay = time.Second
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	output, err := build.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("the go command is needed, and wasn't found: name a ready-made image with %s: %w", imageVariable, err)
	case err != nil:
		return nil, fmt.Errorf("compiling %s in %s: %w\n%s\n"+
			"the program has to be in the module graph of the app, or in its vendor folder: run go mod tidy and, if there is one, "+
			"go mod vendor, or name a ready-made image with %s", program, buildFolder, err, bytes.TrimSpace(output), imageVariable)
	}
	return os.ReadFile(file)
}

// outputFolder returns a folder for the program that no other test binary of this user uses until leave is called:
// test binaries that start together take turns, and the later ones find the image. Where the user has no cache, the folder
// is of this process alone, and is removed.
func outputFolder(ctx context.Context) (folder string, leave func(), err error) {
	cache, err := os.UserCacheDir()
	if err == nil {
		folder = filepath.Join(cache, "banksim-testkit")
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		if folder, err = os.MkdirTemp("", "banksim-testkit-"); err != nil {
			return "", nil, fmt.Errorf("making a folder for the image's program: %w", err)
		}
		return folder, func() { _ = os.RemoveAll(folder) }, nil
	}
	lock := flock.New(filepath.Join(folder, "image.lock"))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return "", nil, fmt.Errorf("waiting for another test binary that builds the image: %w", err)
	}
	return folder, func() { _ = lock.Unlock() }, nil
}
