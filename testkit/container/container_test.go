package container_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	apicontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"

	"github.com/digitalbanking-sim/banksim/testkit"
	"github.com/digitalbanking-sim/banksim/testkit/container"
)

// engine returns a client of the Docker engine. The test is skipped where none answers, or fails if one is required.
func engine(t testing.TB) *testcontainers.DockerClient {
	t.Helper()
	docker, err := testcontainers.NewDockerClientWithOpts(t.Context())
	if err == nil {
		_, err = docker.Ping(t.Context(), client.PingOptions{})
	}
	switch {
	case err == nil:
	case os.Getenv("BANKSIM_REQUIRE_DOCKER") == "1":
		t.Fatalf("BANKSIM_REQUIRE_DOCKER is 1, but no Docker engine answers: %v", err)
	default:
		t.Skipf("no Docker engine answers: %v", err)
	}
	t.Cleanup(func() { _ = docker.Close() })
	return docker
}

// run starts a container that ends with the test.
func run(t testing.TB, opts ...testcontainers.ContainerCustomizer) *container.Container {
	t.Helper()
	engine(t)
	ctr, err := container.Run(t.Context(), "", opts...)
	if ctr != nil {
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_ = ctr.Terminate(ctx) // it may have ended by itself
		})
	}
	require.NoError(t, err)
	return ctr
}

// get sends a request and returns the status and the body.
func get(t testing.TB, url, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("transactionId", "t-1")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(data)
}

// addresses returns the URLs of a container.
func addresses(t testing.TB, ctr *container.Container) (service, control string) {
	t.Helper()
	service, err := ctr.BaseURL(t.Context())
	require.NoError(t, err)
	control, err = ctr.ControlURL(t.Context())
	require.NoError(t, err)
	return service, control
}

func TestRun(t *testing.T) {
	ctr := run(t)
	service, control := addresses(t, ctr)
	status, body := get(t, service+groupsPath, "")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, `"totalElements":23`)
	status, _ = get(t, control+"/readyz", "")
	assert.Equal(t, 200, status)
	status, _ = get(t, control+"/v1/info", "")
	assert.Equal(t, 401, status, "the control API needs its token")
	status, body = get(t, control+"/v1/info", ctr.ControlToken())
	assert.Equal(t, 200, status, body)

	// The container has no right that the simulator doesn't need.
	inspected, err := engine(t).ContainerInspect(t.Context(), ctr.GetContainerID(), client.ContainerInspectOptions{})
	require.NoError(t, err)
	assert.Equal(t, "65532:65532", inspected.Container.Config.User)
	assert.True(t, inspected.Container.HostConfig.ReadonlyRootfs)
	assert.Equal(t, []string{"ALL"}, []string(inspected.Container.HostConfig.CapDrop))
	assert.True(t, inspected.Container.HostConfig.AutoRemove)

	// The engine checks its health.
	require.NotNil(t, inspected.Container.Config.Healthcheck)
	assert.Equal(t, []string{"CMD", "/banksim", "healthcheck"}, inspected.Container.Config.Healthcheck.Test)
	require.Eventually(t, func() bool {
		inspected, err := engine(t).ContainerInspect(t.Context(), ctr.GetContainerID(), client.ContainerInspectOptions{})
		return err == nil && inspected.Container.State.Health.Status == apicontainer.Healthy
	}, time.Minute, 50*time.Millisecond)
}

func TestRunOptions(t *testing.T) {
	const mine = "name: mine\nextends: empty\ninstitutions: [{institutionId: '02688', groups: [{groupName: Mine alone}]}]\n"
	for name, test := range map[string]struct {
		opts []testcontainers.ContainerCustomizer
		want string
	}{
		"name":   {[]testcontainers.ContainerCustomizer{container.WithScenario("empty")}, `"totalElements":0`},
		"YAML":   {[]testcontainers.ContainerCustomizer{container.WithScenarioYAML(mine)}, `"groupName":"Mine alone"`},
		"reader": {[]testcontainers.ContainerCustomizer{container.WithScenarioFile(strings.NewReader(mine))}, `"groupName":"Mine alone"`},
		"last":   {[]testcontainers.ContainerCustomizer{container.WithScenarioYAML(mine), container.WithScenario("empty")}, `"totalElements":0`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, _ := addresses(t, run(t, test.opts...))
			_, body := get(t, service+groupsPath, "")
			assert.Contains(t, body, test.want)
		})
	}
	t.Run("seed and token", func(t *testing.T) {
		t.Parallel()
		ctr := run(t, container.WithSeed(99), container.WithControlToken("known"), container.WithLogs(t))
		_, control := addresses(t, ctr)
		assert.Equal(t, "known", ctr.ControlToken())
		_, body := get(t, control+"/v1/sandboxes/default", "known")
		assert.Contains(t, body, `"seed":99`)
	})
}

// The error has the end of the container's log.
func TestRunFails(t *testing.T) {
	engine(t)
	ctr, err := container.Run(t.Context(), "", container.WithScenarioYAML("extends: retial\n"), container.WithLogs(t))
	require.Error(t, err)
	assert.Nil(t, ctr)
	assert.ErrorContains(t, err, `scenario.yaml:1:10: unknown scenario "retial", and no file "retial.yaml": did you mean "retail"?`)
	_, err = container.Run(t.Context(), "banksim-no-such-image:none")
	assert.Error(t, err)
}

// containers returns the containers that carry a label.
func containers(t testing.TB, docker *testcontainers.DockerClient, label string) []apicontainer.Summary {
	t.Helper()
	list, err := docker.ContainerList(t.Context(), client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", label)})
	require.NoError(t, err)
	return list.Items
}

// All banks of a test binary share one container, which many tests use at once.
func TestManyAtOnceInAContainer(t *testing.T) {
	engine(t)
	for n := range 200 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, testkit.Scenario("empty"))
			assert.Equal(t, 200, createGroup(t, bank, fmt.Sprint("Group ", n)))
			assert.Equal(t, []string{fmt.Sprint("Group ", n)}, groupNames(bank))
			bank.Verify(testkit.Expect{Operation: "groups.create", Exactly: testkit.Times(1)})
		})
	}
}

// All operations work in the container: by http, by https, and for an app whose bank is a fixed host.
func TestOperationsInAContainer(t *testing.T) {
	for name, base := range map[string]func(*testkit.Bank) string{
		"http":       (*testkit.Bank).BaseURL,
		"https":      (*testkit.Bank).HTTPSURL,
		"fixed host": func(*testkit.Bank) string { return "https://" + fixedHost },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bank := testkit.Start(t, testkit.AsHost(fixedHost))
			operations(t, bank, base(bank))
		})
	}
}

// The requests of TestOperationsInAContainer are right, and have all operations, also where there is no engine.
func TestOperationsInProcess(t *testing.T) {
	bank := testkit.Start(t, testkit.InProcess())
	operations(t, bank, bank.BaseURL())
	control, _, _ := strings.Cut(bank.ControlURL(), "/v1/")
	_, body := get(t, control+"/v1/operations", "")
	var list struct{ Operations []struct{ Name string } }
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	used := map[string]bool{}
	for _, x := range bank.Journal("") {
		used[x.Operation+" "+x.Dialect] = true
	}
	require.NotEmpty(t, list.Operations)
	for _, op := range list.Operations {
		assert.True(t, used[op.Name+" public"], "no request of %s on its bare path", op.Name)
	}
}

// Credentials of the scenario retail's client, its first group with a job, another group, and a form with a file.
const (
	aUUID        = "8f14e45f-ceea-467f-a0e6-7a1a0a5d6a11"
	basic        = "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ="
	retailGroup  = "32fe657c-e73b-4592-af7c-3e39c308fd81"
	retailJob    = "5b6cf1de-3a0e-4b57-8f0c-6d2f0e9a4c11"
	anotherGroup = "2ebfa98d-cc32-40f7-bdb6-7ffc0105f73a"
	participants = "--part\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\nADD" +
		"\r\n--part\r\nContent-Disposition: form-data; name=\"fileName\"; filename=\"participants.csv\"\r\nContent-Type: text/csv" +
		"\r\n\r\nParticipantId\r\n1001\r\n1004\r\n--part--\r\n"
)

// operations uses all operations of a bank at a base URL: the first ones on the prefixed paths, then all on their bare ones.
func operations(t *testing.T, bank *testkit.Bank, base string) {
	t.Helper()
	token := bank.Token()
	for _, x := range []struct {
		method, path, body string
		headers            map[string]string
		status             int
	}{
		{"GET", "/digitalbanking/ux-users/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001", "", nil, 200},
		{"PUT", "/digitalbanking/ux-users/v1/e-statements/preference?hostUserId=1001", `{"activateEstatement":true,"accountId":"acc-1001-checking"}`, nil, 200},
		{"PUT", "/digitalbanking/ux-users/v2/e-statements/user/preferences?hostUserId=1001", `{"activateEstatement":true}`, nil, 204},
		{"POST", "/digitalbanking/oauth2/v1/token", `{"grant_type":"client_credentials"}`, map[string]string{"Authorization": basic, "institutionId": "02688"}, 200},
		{"DELETE", "/digitalbanking/oauth2/v1/revoke", `{"token":"avery-token"}`, map[string]string{"Authorization": basic, "institutionId": "02688"}, 200},
		{"POST", groupsPath, `{"groupName":"Early birds"}`, nil, 200},
		{"GET", groupsPath, "", nil, 200},
		{"POST", "/digitalbanking/db-alerts-preferences/v1/alert-preferences", `{"alertOpted":true}`, map[string]string{"fiid": "02688", "userid": "1001"}, 201},

		{"POST", "/oauth2/v1/token", "grant_type=client_credentials", map[string]string{"Authorization": basic, "institutionId": "02688", "Content-Type": "application/x-www-form-urlencoded"}, 200},
		{"GET", "/v1/user-status/1001?userIdType=HOST_USER_ID", "", nil, 200},
		{"GET", "/v1/institution-user-disclosures?hostUserId=1001", "", nil, 200},
		{"POST", "/v1/institution-user-disclosures?hostUserId=1001", `{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"ACCEPTED"}`, nil, 204},
		{"PUT", "/v1/institution-user-disclosures?hostUserId=1001", `{"institutionDisclosureName":"ESIGN","institutionUserDisclosureStatus":"NOT_ACCEPTED"}`, nil, 204},
		{"GET", "/v1/e-statements/acc-1001-checking/disclosures?hostUserId=1001", "", nil, 200},
		{"PUT", "/v1/e-statements/preference?hostUserId=1001", `{"activateEstatement":true,"accountId":"acc-1001-checking"}`, nil, 204},
		{"PUT", "/v2/e-statements/user/preferences?hostUserId=1001", `{"activateEstatement":true}`, nil, 204},
		{"DELETE", "/v1/institution-user-disclosures?hostUserId=1001&accountType=SAVINGS", `{"institutionDisclosureName":"OLS","accountId":"acc-1001-savings"}`, nil, 204},
		{"POST", "/v3/groups", `{"groupName":"Night owls"}`, nil, 200},
		{"GET", "/v3/groups?size=2", "", nil, 200},
		{"PUT", "/v3/groups/" + retailGroup, `{"groupName":"Late adopters"}`, nil, 200},
		{"PUT", "/v3/groups/" + retailGroup + "/participants", participants, map[string]string{"Content-Type": "multipart/form-data; boundary=part"}, 200},
		{"GET", "/v3/jobs?groupId=" + retailGroup, "", nil, 200},
		{"GET", "/v3/jobs/" + retailJob, "", nil, 200},
		{"GET", "/v3/jobs/" + retailJob + "/errors", "", nil, 200},
		{"DELETE", "/v3/groups/" + anotherGroup, "", nil, 200},
		{"GET", "/v1/institution-alert-types", "", nil, 200},
		{"GET", "/v1/institution-alert-preferences", "", nil, 200},
		{"POST", "/v1/alert-preferences?hostUserId=1001", `{"alertOpted":true,"alertPreferenceDetails":{"alertTypeName":"LOW_BALANCE","channelTypeName":"SMS"}}`, nil, 201},
		{"GET", "/v1/alert-preferences?hostUserId=1001", "", nil, 200},
		{"GET", "/v1/alert-preferences/1?hostUserId=1001", "", nil, 200},
		{"PUT", "/v1/alert-preferences/1?hostUserId=1001", `{"alertOpted":false}`, nil, 200},
		{"DELETE", "/v1/alert-preferences/2?hostUserId=1001", "", nil, 204},
		{"DELETE", "/oauth2/v1/revoke", "token=demo-refresh", map[string]string{"Authorization": basic, "Content-Type": "application/x-www-form-urlencoded"}, 204},
	} {
		r, err := http.NewRequestWithContext(t.Context(), x.method, base+x.path, strings.NewReader(x.body))
		require.NoError(t, err)
		for name, value := range map[string]string{"Authorization": "Bearer " + token, "transactionId": aUUID, "correlationId": aUUID, "Content-Type": "application/json"} {
			r.Header.Set(name, value)
		}
		for name, value := range x.headers {
			r.Header.Set(name, value)
		}
		res, err := bank.Client().Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, x.status, res.StatusCode, "%s %s: %s", x.method, x.path, body)
		assert.True(t, len(body) == 0 || json.Valid(body))
	}
	assert.Len(t, bank.Journal(""), 33)
}

// BenchmarkRun measures how long a container takes to get ready once its image exists.
func BenchmarkRun(b *testing.B) {
	run(b) // builds the image
	for b.Loop() {
		run(b)
	}
}

// BenchmarkStartInAContainer measures what a bank costs a test once the container runs.
func BenchmarkStartInAContainer(b *testing.B) {
	engine(b)
	testkit.Start(b)
	for b.Loop() {
		b.StopTimer()
		t := &ending{TB: b}
		b.StartTimer()
		testkit.Start(t)
		b.StopTimer()
		t.end()
		b.StartTimer()
	}
}

// listening is a test that keeps its log.
type listening struct {
	ending
	mu    sync.Mutex
	lines []string
}

func (e *listening) Logf(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, fmt.Sprintf(format, args...))
}

// logged returns how many lines were logged.
func (e *listening) logged() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.lines)
}

// A container that outlives its test no longer logs to it: that would panic.
func TestLogsEndWithTheTest(t *testing.T) {
	e, witness := &listening{ending: ending{TB: t}}, &listening{ending: ending{TB: t}}
	ctr := run(t, container.WithLogs(e), container.WithLogs(witness))
	require.Eventually(t, func() bool { return e.logged() > 0 && witness.logged() > 0 }, 10*time.Second, 10*time.Millisecond)
	e.end()
	loggedUntilEnd, before := e.logged(), witness.logged()
	require.NoError(t, ctr.Terminate(t.Context()))
	require.Eventually(t, func() bool { return witness.logged() > before }, 10*time.Second, 10*time.Millisecond, "the container logs that it ends")
	assert.Equal(t, loggedUntilEnd, e.logged())
}

// Several containers can share an option: each gets the scenario.
func TestScenarioOptionsAreReusable(t *testing.T) {
	for name, option := range map[string]testcontainers.CustomizeRequestOption{
		"YAML":   container.WithScenarioYAML("name: mine\nextends: empty\n"),
		"reader": container.WithScenarioFile(strings.NewReader("name: mine\nextends: empty\n")),
	} {
		for range 2 {
			service, _ := addresses(t, run(t, option))
			_, body := get(t, service+groupsPath, "")
			assert.Contains(t, body, `"totalElements":0`, name)
		}
	}
}
