package container

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	// imageVariable names a ready-made image, which is used instead of one that would be built.
	imageVariable = "BANKSIM_IMAGE"

	// imageName is the name of the images that are built, without the tag. They are in no registry, and its host can't exist
	// (RFC 2606): so testcontainers doesn't put TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX before it.
	imageName = "banksim.invalid/testkit"

	// program is the command of the image, in the version that the app's module graph names.
	program = "github.com/digitalbanking-sim/banksim/cmd/banksim"
)

// dockerfile needs no other image, and runs nothing.
const dockerfile = `FROM scratch
COPY banksim /banksim
USER 65532:65532
WORKDIR /scenarios
ENV BANKSIM_LISTEN=0.0.0.0:8080 BANKSIM_CONTROL=0.0.0.0:8081
EXPOSE 8080 8081 8443
HEALTHCHECK --interval=5s --timeout=4s --start-period=10s --retries=3 CMD ["/banksim", "healthcheck"]
ENTRYPOINT ["/banksim"]
CMD ["serve"]
`

// imageFor returns the image that a name stands for. An empty one stands for that of BANKSIM_IMAGE or, without that, for the
// image that is built.
func imageFor(ctx context.Context, docker *testcontainers.DockerProvider, name string) (string, error) {
	if name == "" {
		name = os.Getenv(imageVariable)
	}
	if name != "" {
		return name, nil
	}
	building.Lock()
	defer building.Unlock()
	if builtImage == "" {
		built, err := buildImage(ctx, docker)
		if err != nil {
			return "", fmt.Errorf("building the image: %w", err)
		}
		builtImage = built
	}
	return builtImage, nil
}

var (
	building   sync.Mutex
	builtImage string // name of the image that this process has built, or found built
)

// buildImage returns the name of an image of the program, and builds the image unless it exists. Its tag is a digest of
// its content, so that one program has one image, and no other program's.
func buildImage(ctx context.Context, docker *testcontainers.DockerProvider) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	engine, err := docker.Client().ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return "", fmt.Errorf("asking the Docker engine for its architecture: %w", err)
	}
	binary, err := compile(ctx, engine.Arch)
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	_, _ = digest.Write(binary)
	_, _ = digest.Write([]byte(dockerfile))
	tag := hex.EncodeToString(digest.Sum(nil)[:8])
	if _, err := docker.Client().ImageInspect(ctx, imageName+":"+tag); err == nil {
		return imageName + ":" + tag, nil
	}
	buildContext, err := archive(binary)
	if err != nil {
		return "", fmt.Errorf("packing the program: %w", err)
	}
	return docker.BuildImage(ctx, &testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{
		ContextArchive: bytes.NewReader(buildContext), Repo: imageName, Tag: tag,
		KeepImage: true, // and without labels that would let a reaper remove it
	}})
}

// archive returns what the image is built from.
func archive(binary []byte) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, file := range []struct {
		name    string
		mode    int64
		content []byte
	}{{"Dockerfile", 0o644, []byte(dockerfile)}, {"banksim", 0o755, binary}} {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: file.name, Mode: file.mode, Size: int64(len(file.content))}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(file.content); err != nil {
			return nil, err
		}
	}
	return packed.Bytes(), w.Close()
}

// buildFolder is where the go command runs: the folder of the tests, in the app's module, whatever folder they change to.
var buildFolder, buildFolderErr = os.Getwd()

// compile returns the program for Linux on an architecture, as Go names it. What GOFLAGS says for tests doesn't apply to it.
func compile(ctx context.Context, arch string) ([]byte, error) {
	if buildFolderErr != nil {
		return nil, fmt.Errorf("finding the folder of the tests: %w", buildFolderErr)
	}
	folder, err := os.MkdirTemp("", "banksim-testkit-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file := filepath.Join(folder, "banksim")
	build := exec.CommandContext(ctx, "go", "build", "-o", file, "-ldflags=-s -w", program)
	build.Dir = buildFolder
	build.WaitDelay = time.Second
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false")
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
