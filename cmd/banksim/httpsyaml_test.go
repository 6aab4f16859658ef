package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// composeFile is what TestHTTPSCompose looks at.
type composeFile struct {
	Services map[string]struct {
		Environment map[string]string
		Networks    map[string]struct{ Aliases []string }
		Command     []string
		Volumes     []string
	}
}

// The simulator that the Compose file describes has a certificate for its alias, and the app gets the CA that signed it.
func TestHTTPSCompose(t *testing.T) {
	t.Parallel()
	var file composeFile
	require.NoError(t, yaml.Unmarshal([]byte(titled(t, httpsPage(t), "compose.yaml")), &file))
	bank, app := file.Services["bank"], file.Services["app"]
	assert.Equal(t, []string{fixedHost}, bank.Networks["default"].Aliases)

	delete(bank.Environment, "BANKSIM_CONTROL_TOKEN") // this test is on the same machine
	flags, port := serveFlags(t, bank.Environment)
	assert.Equal(t, "443", port)
	_, control := startSimulator(t, flags...)

	assert.Contains(t, app.Command[2], "-qO "+app.Environment["NODE_EXTRA_CA_CERTS"]+" http://bank:8081/ca.pem ")
	assert.NoError(t, handshake(t, control, caFile(t, control), fixedHost))
	assert.ErrorContains(t, handshake(t, control, caFile(t, otherCA(t)), fixedHost), "unknown authority")
}

// kubernetesObject is what TestHTTPSKubernetes looks at.
type kubernetesObject struct {
	Kind string
	Spec struct {
		ClusterIP string `yaml:"clusterIP"`
		Selector  map[string]any
		Ports     []struct {
			Port       int
			TargetPort string `yaml:"targetPort"`
		}
		Template struct {
			Metadata struct{ Labels map[string]any }
			Spec     struct {
				HostAliases []struct {
					IP        string
					Hostnames []string
				} `yaml:"hostAliases"`
				Containers []struct {
					Env   []struct{ Name, Value string }
					Ports []struct {
						Name          string
						ContainerPort int `yaml:"containerPort"`
					}
					VolumeMounts []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct {
					Name   string
					Secret struct {
						SecretName  string `yaml:"secretName"`
						DefaultMode int    `yaml:"defaultMode"`
					}
					ConfigMap struct{ Name string } `yaml:"configMap"`
				}
			}
		}
	}
}

// The objects for Kubernetes fit each other and the commands before them: the app finds its bank's name at the Service, and the
// certificate there is of the CA that it gets.
func TestHTTPSKubernetes(t *testing.T) {
	t.Parallel()
	page := httpsPage(t)
	banks := kubernetesObjects(t, titled(t, page, "bank.yaml"))
	require.Len(t, banks, 2)
	bank, service, app := banks[0].Spec.Template.Spec, banks[1].Spec, kubernetesObjects(t, titled(t, page, "app.yaml"))[0].Spec.Template.Spec
	assert.Equal(t, banks[0].Spec.Template.Metadata.Labels, service.Selector)
	require.Len(t, app.HostAliases, 1)
	assert.Equal(t, service.ClusterIP, app.HostAliases[0].IP)
	assert.Equal(t, []string{fixedHost}, app.HostAliases[0].Hostnames)

	// The Service's port for https leads to the port on which the simulator speaks it.
	environment, ports := map[string]string{}, map[string]int{}
	for _, variable := range bank.Containers[0].Env {
		environment[variable.Name] = variable.Value
	}
	for _, port := range bank.Containers[0].Ports {
		ports[port.Name] = port.ContainerPort
	}
	flags, port := serveFlags(t, environment)
	assert.Equal(t, 443, service.Ports[0].Port)
	assert.Equal(t, port, strconv.Itoa(ports[service.Ports[0].TargetPort]))

	// The commands make what the volumes hold.
	folder := t.TempDir()
	made := filesOf(t, folder, commandsAfter(t, page, "### Kubernetes"))
	secret, trust := bank.Volumes[0], app.Volumes[0]
	require.Contains(t, made, "secret "+secret.Secret.SecretName)
	require.Contains(t, made, "configmap "+trust.ConfigMap.Name)
	assert.Equal(t, secret.Name, bank.Containers[0].VolumeMounts[0].Name)
	assert.Equal(t, trust.Name, app.Containers[0].VolumeMounts[0].Name)
	ofBank := mounted(t, made["secret "+secret.Secret.SecretName], os.FileMode(secret.Secret.DefaultMode))
	for i, flag := range flags {
		flags[i] = strings.Replace(flag, bank.Containers[0].VolumeMounts[0].MountPath, ofBank, 1)
	}
	_, control := startSimulator(t, flags...)
	ofApp := mounted(t, made["configmap "+trust.ConfigMap.Name], 0o644)
	trusted := strings.Replace(app.Containers[0].Env[0].Value, app.Containers[0].VolumeMounts[0].MountPath, ofApp, 1)
	assert.NoError(t, handshake(t, control, trusted, fixedHost))
	assert.ErrorContains(t, handshake(t, control, caFile(t, otherCA(t)), fixedHost), "unknown authority")
}

// kubernetesObjects returns the objects of a file.
func kubernetesObjects(t *testing.T, text string) (objects []kubernetesObject) {
	t.Helper()
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var object kubernetesObject
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		objects = append(objects, object)
	}
}

// serveFlags returns variables as flags of serve, which listens at any free port instead, and the port at which they let it speak
// https.
func serveFlags(t *testing.T, environment map[string]string) (flags []string, port string) {
	t.Helper()
	for name, value := range environment {
		name, ours := strings.CutPrefix(name, "BANKSIM_")
		require.True(t, ours, name)
		if name == "LISTEN" {
			_, address, ok := strings.Cut(value, ",https://")
			require.True(t, ok, value)
			var err error
			_, port, err = net.SplitHostPort(address)
			require.NoError(t, err)
			value = "https://127.0.0.1:0"
		}
		flags = append(flags, "--"+strings.ToLower(strings.ReplaceAll(name, "_", "-"))+"="+value)
	}
	return flags, port
}

// filesOf runs the commands of banksim in a folder, and returns the files that those of kubectl put into objects, by kind and
// name of the object, and by their names there.
func filesOf(t *testing.T, folder, commands string) map[string]map[string]string {
	t.Helper()
	made := map[string]map[string]string{}
	for line := range strings.Lines(commands) {
		words := strings.Fields(line)
		if words[0] == "banksim" {
			out, err := shell(t, folder, line)
			require.NoError(t, err, out)
			continue
		}
		require.Equal(t, []string{"kubectl", "create"}, words[:2])
		object, files := words[2]+" "+words[3], words[4:]
		if words[2] == "secret" {
			require.Equal(t, "generic", words[3])
			object, files = words[2]+" "+words[4], words[5:]
		}
		made[object] = map[string]string{}
		for _, flag := range files {
			key, file, named := strings.Cut(strings.TrimPrefix(flag, "--from-file="), "=")
			if !named {
				key, file = path.Base(key), key
			}
			made[object][key] = filepath.Join(folder, file)
		}
	}
	return made
}

// mounted returns a folder with files, as Kubernetes mounts them: by links, and not to be written.
func mounted(t *testing.T, files map[string]string, mode os.FileMode) string {
	t.Helper()
	folder := t.TempDir()
	data := filepath.Join(folder, "..data")
	require.NoError(t, os.Mkdir(data, 0o755))
	for name, from := range files {
		content, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(data, name), content, mode))
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)))
	}
	for _, one := range []string{data, folder} {
		require.NoError(t, os.Chmod(one, 0o555))
		t.Cleanup(func() { _ = os.Chmod(one, 0o755) })
	}
	return folder
}

// handshake connects to a simulator as a client does that trusts the certificates of a file and asks for a name.
func handshake(t *testing.T, control, trusted, name string) error {
	t.Helper()
	ca, err := os.ReadFile(trusted)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(bytes.TrimSpace(ca)))
	conn, err := tls.Dial("tcp", "127.0.0.1"+tlsPort(t, control), &tls.Config{RootCAs: roots, ServerName: name})
	if err == nil {
		err = conn.Close()
	}
	return err
}
