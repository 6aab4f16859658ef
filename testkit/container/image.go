package container

import (
	"bytes"
	"context"
	"crypto/sha256"
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
	pingTimeout = 15 * time.Second // of an engine's first answer: a busy one takes seconds

	// imageName is the name of the images that are built, without the tag. They are in no registry, and its host can't
	// exist (RFC 2606): so testcontainers doesn't put TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX before it.
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

// ping asks the engine, once for all tests.
var ping = sync.OnceValue(func() error {
	docker, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	return errors.Join(docker.Health(ctx), docker.Close())
})

// imageFor returns the image that a name stands for: an empty name stands for the image that is built.
func imageFor(ctx context.Context, docker *testcontainers.DockerProvider, name string) (string, error) {
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
	folder, err := os.MkdirTemp("", "banksim-testkit-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	binary := filepath.Join(folder, "banksim")
	if err := compile(ctx, engine.Arch, binary); err != nil {
		return "", err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return "", err
	}
	tag := fmt.Sprintf("%x", sha256.Sum256(append(content, dockerfile...)))[:16]
	if _, err := docker.Client().ImageInspect(ctx, imageName+":"+tag); err == nil {
		return imageName + ":" + tag, nil
	}
	if err := os.WriteFile(filepath.Join(folder, "Dockerfile"), []byte(dockerfile), 0o644); err != nil {
		return "", err
	}
	return docker.BuildImage(ctx, &testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{
		Context: folder, Repo: imageName, Tag: tag,
		KeepImage: true, // and without labels that would let a reaper remove it
	}})
}

// buildFolder is where the go command runs: the folder of the tests, in the app's module, whatever folder they change
// to.
var buildFolder, _ = os.Getwd()

// compile compiles the program for Linux on an architecture, as Go names it, into a file. What GOFLAGS says for tests
// doesn't apply to it.
func compile(ctx context.Context, arch, file string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", file, "-ldflags=-s -w", program)
	build.Dir = buildFolder
	build.WaitDelay = time.Second
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf(
			"compiling %s in %s: %w\n%s\nthe program has to be in the module graph of the app, or in its vendor "+
				"folder: run go mod tidy and, if there is one, go mod vendor; or give Run the name of a ready-made image",
			program,
			buildFolder,
			err,
			bytes.TrimSpace(output),
		)
	}
	return nil
}
