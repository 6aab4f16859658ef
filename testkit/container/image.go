package container

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/gofrs/flock"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// module has the image's program, in the version that the test's own go.mod names.
const module = "github.com/digitalbanking-sim/banksim"

// imageChanges configures the image, whose file system has nothing but the program.
var imageChanges = []string{
	"USER 65532:65532",
	"WORKDIR " + scenarioFolder,
	"ENV BANKSIM_LISTEN=0.0.0.0:8080 BANKSIM_CONTROL=0.0.0.0:8081",
	"EXPOSE 8080",
	"EXPOSE 8081",
	`ENTRYPOINT ["/banksim"]`,
	`CMD ["serve"]`,
	"LABEL org.opencontainers.image.title=banksim-testkit",
}

// lockPoll is how often a test binary checks whether another one has finished the image.
const lockPoll = 50 * time.Millisecond

// buildImage returns the name of an image of the program, and builds the image unless it exists. Its tag is a digest of
// its content, so that one program has one image, and no other program's.
func buildImage(ctx context.Context) (string, error) {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return "", fmt.Errorf("reaching the Docker engine: %w", err)
	}
	defer func() { _ = docker.Close() }()
	engine, err := docker.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return "", fmt.Errorf("asking the Docker engine for its architecture: %w", err)
	}
	// Test binaries that start together take turns: the later ones find the image.
	unlock, err := lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	program, err := compile(ctx, engine.Arch)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(append(program, strings.Join(imageChanges, "\n")...))
	name := "banksim-testkit:" + hex.EncodeToString(digest[:8])
	switch _, err := docker.ImageInspect(ctx, name); {
	case err == nil:
		return name, nil
	case !errdefs.IsNotFound(err):
		return "", fmt.Errorf("looking for the image %s: %w", name, err)
	}
	layer, err := archive("banksim", 0o755, program)
	if err != nil {
		return "", err
	}
	imported, err := docker.ImageImport(ctx, client.ImageImportSource{Source: layer, SourceName: "-"}, name,
		client.ImageImportOptions{Changes: imageChanges, Message: "banksim for testkit"})
	if err != nil {
		return "", fmt.Errorf("making the image %s: %w", name, err)
	}
	_, err = io.Copy(io.Discard, imported) // until the engine is done
	if err = errors.Join(err, imported.Close()); err != nil {
		return "", fmt.Errorf("making the image %s: %w", name, err)
	}
	return name, nil
}

// lock waits until no other test binary of this user is building the image.
func lock(ctx context.Context) (unlock func(), err error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		folder = os.TempDir()
	}
	folder = filepath.Join(folder, "banksim-testkit")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for the lock on the image: %w", err)
	}
	l := flock.New(filepath.Join(folder, "image.lock"))
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("waiting for another test binary that builds the image: %w", err)
	}
	return func() { _ = l.Unlock() }, nil
}

// compile returns the program for Linux on an architecture, as Go names it.
func compile(ctx context.Context, arch string) ([]byte, error) {
	folder, err := moduleFolder(ctx)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp("", "banksim-testkit-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	file := filepath.Join(out, "banksim")
	build := exec.CommandContext(ctx, "go", "build", "-tags=nethttpomithttp2", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./cmd/banksim")
	build.Dir = folder
	// The module's own go.mod applies, and neither a workspace nor the flags of the tests.
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %s in %s: %w\n%s", module, folder, err, bytes.TrimSpace(output))
	}
	return os.ReadFile(file)
}

// moduleFolder returns the folder of the module's source, in the version that the test's go.mod names, with its replace
// directives.
func moduleFolder(ctx context.Context) (string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-mod=readonly", "-m", "-json", module)
	output, err := list.Output()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return "", fmt.Errorf("looking for the source of %s: %w\n%s", module, err, bytes.TrimSpace(failed.Stderr))
	case err != nil:
		return "", fmt.Errorf("looking for the source of %s: the go command is needed to build the image: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(output, &found); err != nil {
		return "", fmt.Errorf("looking for the source of %s: %w", module, err)
	}
	if found.Dir == "" {
		return "", fmt.Errorf("the source of %s is not in the module cache: run go mod download", module)
	}
	return found.Dir, nil
}

// archive returns a tar archive of one file.
func archive(name string, mode int64, content []byte) (io.Reader, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content))})
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("packing %s: %w", name, err)
	}
	return &packed, nil
}
