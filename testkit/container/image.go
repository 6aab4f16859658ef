package container

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// imageVariable names a ready-made image, which is used instead of one that would be built.
const imageVariable = "BANKSIM_IMAGE"

// imageName is the name of the images that are built, without the tag. They are in no registry, and its host can't exist
// (RFC 2606): so testcontainers doesn't put TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX before it.
const imageName = "banksim.invalid/testkit"

// imageChanges configures the image, whose file system has nothing but the program.
var imageChanges = []string{
	"USER 65532:65532",
	"WORKDIR " + scenarioFolder,
	"ENV BANKSIM_LISTEN=0.0.0.0:8080 BANKSIM_CONTROL=0.0.0.0:8081",
	"EXPOSE 8080",
	"EXPOSE 8081",
	"EXPOSE 8443",
	`ENTRYPOINT ["/banksim"]`,
	`CMD ["serve"]`,
	"LABEL org.opencontainers.image.title=banksim-testkit",
}

// healthCheck is left out where an engine doesn't import it, as podman doesn't.
const healthCheck = `HEALTHCHECK --interval=5s --timeout=4s --start-period=10s --retries=3 CMD ["/banksim", "healthcheck"]`

// imageFor returns the image that a name stands for. An empty one stands for that of BANKSIM_IMAGE or, without that, for the
// image that is built.
func imageFor(ctx context.Context, docker *testcontainers.DockerClient, name string) (string, error) {
	if name == "" {
		name = os.Getenv(imageVariable)
	}
	if name == "" {
		built, err := theBuilt.name(ctx, docker)
		if err != nil {
			return "", fmt.Errorf("building the image: %w", err)
		}
		return built, nil
	}
	return name, nil
}

// builtImage is the image that this process has built or found built.
type builtImage struct {
	turn chan struct{} // holds a value while nobody builds

	tag string // empty: it isn't built yet
}

var theBuilt = newBuiltImage()

func newBuiltImage() *builtImage {
	b := &builtImage{turn: make(chan struct{}, 1)}
	b.turn <- struct{}{}
	return b
}

// name returns the name of the image, which is built once in a process. Only one call builds at a time; the others wait
// for it or for the end of their context.
func (b *builtImage) name(ctx context.Context, docker *testcontainers.DockerClient) (string, error) {
	select {
	case <-b.turn:
	case <-ctx.Done():
		return "", fmt.Errorf("waiting for the image: %w", ctx.Err())
	}
	defer func() { b.turn <- struct{}{} }()
	if b.tag != "" {
		if _, err := docker.ImageInspect(ctx, b.tag); err == nil {
			return b.tag, nil
		} // it was removed meanwhile
	}
	tag, err := buildImage(ctx, docker)
	if err == nil {
		b.tag = tag
	}
	return tag, err
}

// buildImage returns the name of an image of the program, and builds the image unless it exists. Its tag is a digest of
// its content, so that one program has one image, and no other program's.
func buildImage(ctx context.Context, docker *testcontainers.DockerClient) (string, error) {
	engine, err := docker.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return "", fmt.Errorf("asking the Docker engine for its architecture: %w", err)
	}
	folder, leave, err := outputFolder(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	program, err := compile(ctx, folder, engine.Arch)
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	for _, part := range [][]byte{program, []byte(strings.Join(imageChanges, "\n")), []byte(healthCheck)} {
		_, _ = digest.Write(part)
	}
	name := imageName + ":" + hex.EncodeToString(digest.Sum(nil)[:8])
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
	err = importImage(ctx, docker, name, layer, append([]string{healthCheck}, imageChanges...))
	if err != nil && strings.Contains(err.Error(), "HEALTHCHECK") {
		err = importImage(ctx, docker, name, layer, imageChanges)
	}
	if err != nil {
		return "", fmt.Errorf("making the image %s: %w", name, err)
	}
	return name, nil
}

// importImage makes an image of a layer.
func importImage(ctx context.Context, docker *testcontainers.DockerClient, name string, layer []byte, changes []string) error {
	imported, err := docker.ImageImport(ctx, client.ImageImportSource{Source: bytes.NewReader(layer), SourceName: "-"}, name,
		client.ImageImportOptions{Changes: changes, Message: "banksim for testkit"})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, imported) // until the engine is done
	return errors.Join(err, imported.Close())
}

// pull gets an image that the engine doesn't have, by the very name that it was given.
func pull(ctx context.Context, docker *testcontainers.DockerClient, provider *testcontainers.DockerProvider, image string) error {
	switch _, err := docker.ImageInspect(ctx, image); {
	case err == nil:
		return nil
	case !errdefs.IsNotFound(err):
		return fmt.Errorf("looking for the image %s: %w", image, err)
	}
	if err := provider.PullImage(ctx, image); err != nil {
		return fmt.Errorf("the engine doesn't have the image %s, and can't pull it: %w", image, err)
	}
	return nil
}

// archive returns a tar archive of one file.
func archive(name string, mode int64, content []byte) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content))})
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("packing %s: %w", name, err)
	}
	return packed.Bytes(), nil
}
