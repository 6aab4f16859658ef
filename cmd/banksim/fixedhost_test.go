package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fixedHost is the host that the clients of TestFixedHost have built in, at port 443.
const fixedHost = "api.bank.example"

// fixedRequests are what they send, and what is answered: every operation as the public API description has it, and some as the
// interface's document has them. A body @FILE is the contents of a file.
var fixedRequests = []struct {
	method, path, body string
	headers            []string
	status             int
}{
	{"POST", "/oauth2/v1/token", "grant_type=client_credentials", []string{basic, "institutionId: 02688", transaction, asForm}, 200},
	{"GET", "/v1/user-status/1001?userIdType=HOST_USER_ID", "", []string{bearer, transaction}, 200},
	{"GET", "/v1/institution-user-disclosures?hostUserId=1001", "", []string{bearer, transaction}, 200},
	{"POST", "/v1/institution-user-disclosures?hostUserId=1001", `{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"ACCEPTED"}`, []string{bearer, transaction, inJSON}, 204},
	{"PUT", "/v1/institution-user-disclosures?hostUserId=1001", `{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"NOT_ACCEPTED"}`, []string{bearer, transaction, inJSON}, 204},
	{"GET", "/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001", "", []string{bearer, correlation}, 200},
	{"PUT", "/v1/e-statements/preference?hostUserId=1001", `{"activateEstatement":true,"accountId":"acc-1001-checking"}`, []string{bearer, correlation, inJSON}, 204},
	{"PUT", "/v2/e-statements/user/preferences?hostUserId=1001", `{"activateEstatement":true}`, []string{bearer, correlation, inJSON}, 204},
	{"DELETE", "/v1/institution-user-disclosures?hostUserId=1001&accountType=SAVINGS", `{"institutionDisclosureName":"OLS","accountId":"acc-1001-savings"}`, []string{bearer, transaction, inJSON}, 204},
	{"POST", "/v3/groups", `{"groupName":"Night owls"}`, []string{bearer, transaction, inJSON}, 200},
	{"GET", "/v3/groups?size=2", "", []string{bearer, transaction}, 200},
	{"PUT", "/v3/groups/" + retailGroup, `{"groupName":"Late adopters"}`, []string{bearer, transaction, inJSON}, 200},
	{"PUT", "/v3/groups/" + retailGroup + "/participants", "@" + participantsFile, []string{bearer, transaction, "Content-Type: multipart/form-data; boundary=part"}, 200},
	{"GET", "/v3/jobs?groupId=" + retailGroup, "", []string{bearer, transaction}, 200},
	{"GET", "/v3/jobs/" + retailJob, "", []string{bearer, transaction}, 200},
	{"GET", "/v3/jobs/" + retailJob + "/errors", "", []string{bearer, transaction}, 200},
	{"DELETE", "/v3/groups/" + anotherGroup, "", []string{bearer, transaction}, 200},
	{"GET", "/v1/institution-alert-types", "", []string{bearer, transaction}, 200},
	{"GET", "/v1/institution-alert-preferences", "", []string{bearer, transaction}, 200},
	{"POST", "/v1/alert-preferences?hostUserId=1001", `{"alertOpted":true,"alertPreferenceDetails":{"alertTypeName":"LOW_BALANCE","channelTypeName":"SMS"}}`, []string{bearer, transaction, inJSON}, 201},
	{"GET", "/v1/alert-preferences?hostUserId=1001", "", []string{bearer, transaction}, 200},
	{"GET", "/v1/alert-preferences/1?hostUserId=1001", "", []string{bearer, transaction}, 200},
	{"PUT", "/v1/alert-preferences/1?hostUserId=1001", `{"alertOpted":false}`, []string{bearer, transaction, inJSON}, 200},
	{"DELETE", "/v1/alert-preferences/2?hostUserId=1001", "", []string{bearer, transaction}, 204},
	{"DELETE", "/oauth2/v1/revoke", "token=demo-refresh", []string{basic, transaction, asForm}, 204},

	{"PUT", "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId=1001", `{"activateEstatement":true,"accountId":"acc-1001-checking"}`, []string{bearer, "correlationid: c-2", inJSON}, 200},
	{"POST", "/digitalbanking/oauth2/v1/token", `{"grant_type":"client_credentials"}`, []string{basic, "institutionId: 02688", "transactionId: t-1", inJSON}, 200},
	{"DELETE", "/digitalbanking/oauth2/v1/revoke", `{"token":"demo-token-2"}`, []string{basic, "institutionId: 02688", "transactionId: t-2", inJSON}, 200}, // revoked already
	{"GET", "/digitalbanking/groups/v3/groups?size=2", "", []string{"transactionId: t-4"}, 200},
	{"POST", "/digitalbanking/db-alerts-preferences/v1/alert-preferences", `{"alertOpted":true}`, []string{bearer, "fiid: 02688", "userid: 1001", "transactionid: t-5", inJSON}, 201},
}

const (
	bearer      = "Authorization: Bearer demo-token"
	basic       = "Authorization: Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=" // demo-app:demo-secret
	inJSON      = "Content-Type: application/json"
	asForm      = "Content-Type: application/x-www-form-urlencoded"
	transaction = "transactionId: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11"
	correlation = "correlationId: 8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11"

	// Groups of the scenario retail, and the job of the first.
	retailGroup  = "32fe657c-e73b-4592-af7c-3e39c308fd81"
	anotherGroup = "2ebfa98d-cc32-40f7-bdb6-7ffc0105f73a"
	retailJob    = "5b6cf1de-3a0e-4b57-8f0c-6d2f0e9a4c11"

	participantsFile = "participants.txt"
	participants     = "--part\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\nADD" +
		"\r\n--part\r\nContent-Disposition: form-data; name=\"fileName\"; filename=\"participants.csv\"\r\nContent-Type: text/csv" +
		"\r\n\r\nParticipantId\r\n1001\r\n1004\r\n--part--\r\n"
)

// fixedClients are apps that know their bank by name. What is special about the bank comes from the system and from the
// environment alone: where the name leads, and whom to trust.
var fixedClients = map[string]struct {
	file, command string
	tools         []string
	environment   func(t *testing.T, ca string) string
}{
	"Go":   {"", "fixed-host-client", nil, variable("SSL_CERT_FILE")},
	"Node": {"client.mjs", "node client.mjs", []string{"node"}, variable("NODE_EXTRA_CA_CERTS")},
	"Java": {"Client.java", "java Client.java", []string{"java", "javac", "keytool"}, trustStore},
	"curl": {"client.sh", "sh client.sh", []string{"curl"}, variable("CURL_CA_BUNDLE")},
}

func variable(name string) func(*testing.T, string) string {
	return func(_ *testing.T, ca string) string { return name + "=" + ca }
}

// trustStore makes a trust store for Java, and returns the variable that lets Java use it.
func trustStore(t *testing.T, ca string) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "trust.p12")
	out, err := exec.CommandContext(t.Context(), "keytool", "-importcert", "-noprompt", "-alias", "banksim", "-file", ca,
		"-keystore", store, "-storetype", "PKCS12", "-storepass", "changeit").CombinedOutput()
	require.NoError(t, err, string(out))
	return "JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=" + store + " -Djavax.net.ssl.trustStorePassword=changeit"
}

// insideVariable names the client that the test binary runs in a network of its own.
const insideVariable = "BANKSIM_INSIDE_NETWORK"

// Clients that have the bank's name and port built in reach the simulator where the name leads to it, and work as they are:
// over HTTP/1.1 and HTTP/2, in several languages. Each runs in a network of its own, in which port 443 is free and a file of
// hosts has the name.
func TestFixedHost(t *testing.T) {
	t.Parallel()
	for name, client := range fixedClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tool := range append([]string{"unshare", "ip", "mount"}, client.tools...) {
				needsTool(t, tool)
			}
			out, err := inNetwork(t, "^TestInsideNetwork$", insideVariable+"="+name)
			require.NoError(t, err, out)
			assert.Contains(t, out, "--- PASS: TestInsideNetwork", out)
		})
	}
}

// inNetwork runs a test of this binary in a network of its own, whose only interface is loopback and where the fixed host is
// this machine.
func inNetwork(t *testing.T, test string, environment ...string) (string, error) {
	t.Helper()
	hosts := filepath.Join(t.TempDir(), "hosts")
	require.NoError(t, os.WriteFile(hosts, []byte("127.0.0.1 localhost "+fixedHost+"\n"), 0o644))
	namespaces := []string{"--net", "--mount"}
	if os.Getuid() != 0 {
		namespaces = append(namespaces, "--map-root-user")
	}
	enter := append(namespaces, "sh", "-c", `ip link set lo up && mount --bind "$1" /etc/hosts || exit 125; shift; exec "$@"`, "sh", hosts)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", append(enter, os.Args[0], "-test.run="+test, "-test.v")...)
	cmd.Env, cmd.WaitDelay = append(os.Environ(), environment...), 10*time.Second
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if errors.As(err, &failed) && (failed.ExitCode() == 125 || strings.HasPrefix(string(out), "unshare: ")) {
		skipUnlessRequired(t, fmt.Sprintf("no network of its own can be had: %s", bytes.TrimSpace(out)))
	}
	return string(out), err
}

// TestInsideNetwork is run by TestFixedHost.
func TestInsideNetwork(t *testing.T) {
	name := os.Getenv(insideVariable)
	if name == "" {
		t.Skip("TestFixedHost runs it in a network of its own")
	}
	client := fixedClients[name]
	folder := t.TempDir()
	if client.file != "" {
		program, err := os.ReadFile(filepath.Join("testdata", "fixedhost", client.file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, client.file), program, 0o644))
	}
	var requests, want strings.Builder
	for _, r := range fixedRequests {
		fields := append([]string{r.method, r.path, r.body}, r.headers...)
		if r.body == "" {
			fields[2] = "-"
		}
		fmt.Fprintln(&requests, strings.Join(fields, "\t"))
		fmt.Fprintf(&want, "%d VERSION\n", r.status)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "requests.txt"), []byte(requests.String()), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, participantsFile), []byte(participants), 0o644))
	_, control := startSimulator(t, "--listen=https://127.0.0.1:443", "--tls-hosts="+fixedHost)
	environment := client.environment(t, caFile(t, control))
	for _, version := range []string{"1.1", "2"} {
		t.Run("HTTP/"+version, func(t *testing.T) {
			res, err := http.Post(control+"/v1/sandboxes/default/reset", "", nil)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			command := strings.Fields(client.command)
			cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], version, "requests.txt")...)
			cmd.Dir, cmd.Env = folder, append(os.Environ(), environment)
			var problems bytes.Buffer
			cmd.Stderr = &problems
			out, err := cmd.Output()
			require.NoError(t, err, problems.String())
			assert.Equal(t, strings.ReplaceAll(want.String(), "VERSION", version), string(out), problems.String())
			var journal struct {
				Exchanges []struct{ Request struct{ URL string } }
			}
			require.NoError(t, json.Unmarshal([]byte(fetched(t, control+"/v1/sandboxes/default/journal")), &journal))
			require.Len(t, journal.Exchanges, len(fixedRequests))
			for i, r := range fixedRequests { // Node's HTTP/2 names the port, too
				assert.Equal(t, "https://"+fixedHost+r.path, strings.Replace(journal.Exchanges[i].Request.URL, ":443/", "/", 1))
			}
		})
	}
}

// caFile asks a simulator for the certificate of its CA, and returns a file with it.
func caFile(t *testing.T, control string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, []byte(fetched(t, control+"/ca.pem")), 0o644))
	return file
}

// fetched returns what is at a URL.
func fetched(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, "%s: %s", url, body)
	return string(body)
}

// fixedHostClient is a client in Go. main_test.go makes a program of it.
func fixedHostClient() {
	version, file := os.Args[1], os.Args[2]
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(version == "1.1")
	transport.Protocols.SetHTTP2(version == "2")
	client := &http.Client{Timeout: time.Minute, Transport: transport}
	requests, err := os.Open(file)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(requests)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		var body io.Reader
		if name, isFile := strings.CutPrefix(fields[2], "@"); isFile {
			contents, err := os.ReadFile(name)
			if err != nil {
				panic(err)
			}
			body = bytes.NewReader(contents)
		} else if fields[2] != "-" {
			body = strings.NewReader(fields[2])
		}
		r, err := http.NewRequest(fields[0], "https://api.bank.example"+fields[1], body)
		if err != nil {
			panic(err)
		}
		for _, header := range fields[3:] {
			name, value, _ := strings.Cut(header, ": ")
			r.Header.Set(name, value)
		}
		res, err := client.Do(r)
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		fmt.Println(res.StatusCode, strings.TrimSuffix(strings.TrimPrefix(res.Proto, "HTTP/"), ".0"))
	}
}
