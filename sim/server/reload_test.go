package server_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}

// versioned is a scenario that shows its version in all that an answer is made of: the world (two groups), the
// behaviour (the status of a create), the faults (a header; a delay has requests meet reloads).
func versioned(version int) string {
	return fmt.Sprintf(`
name: v%[1]d
extends: base
seed: %[1]d
behavior: {groups: {createStatus: %[2]d}}
institutions: [{institutionId: "02688", groups: [{groupName: A %[1]d}, {groupName: B %[1]d}]}]
faults: [{name: mark, operation: "groups.*", then: {headers: {X-Version: "%[1]d"}, delay: 2ms}}]
`, version, 200+version%2)
}

var groupVersion = regexp.MustCompile(`"groupName":"[AB] (\d+)"`)

// observer asks sandboxes one after the other, and wants every answer to be of one version, and no version older than
// one that it has seen in another sandbox.
type observer struct {
	watchedBank
	latest  int
	answers *atomic.Int64
}

func (o *observer) saw(what string, versions ...string) {
	o.answers.Add(1)
	same := slices.Compact(slices.Clone(versions))
	if !assert.Len(o.t, same, 1, "%s: an answer of several versions", what) {
		return
	}
	version, err := strconv.Atoi(same[0])
	require.NoError(o.t, err, what)
	assert.GreaterOrEqual(o.t, version, o.latest, "%s: the old version, after the new one was seen elsewhere", what)
	o.latest = max(o.latest, version)
}

func (o *observer) list(sandbox string) {
	res := listGroups.in(sandbox).send(o.bank)
	if !assert.Equal(o.t, 200, res.StatusCode, res.body) {
		return
	}
	versions := []string{res.Header.Get("X-Version")}
	for _, match := range groupVersion.FindAllStringSubmatch(res.body, -1) {
		versions = append(versions, match[1])
	}
	assert.Len(o.t, versions, 3)
	o.saw("list", versions...)
}

func (o *observer) create(sandbox string, number int) {
	res := createGroup.in(sandbox).saying(fmt.Sprintf(`{"groupName":"%s %p %d"}`, sandbox, o, number)).send(o.bank)
	version, _ := strconv.Atoi(res.Header.Get("X-Version"))
	assert.Equal(o.t, 200+version%2, res.StatusCode, res.body)
	o.saw("create", res.Header.Get("X-Version"))
}

// sandboxes wants the sandboxes that follow to be shown as of one version, name and seed.
func (o *observer) sandboxes() {
	var versions []string
	for _, sb := range decode[struct {
		Sandboxes []sandboxInfo `json:"sandboxes"`
	}](o.t, o.call(200, "GET "+sandboxesURL, "")).Sandboxes {
		if sb.Name != "fixed" {
			versions = append(versions, strings.TrimPrefix(sb.Scenario, "v"), strconv.FormatUint(sb.Seed, 10))
		}
	}
	o.saw("sandboxes", versions...)
}

// Two hundred changes of the file, a third of them bad, while sandboxes are asked, changed and reset: no request
// fails, every answer is of one version, in all sandboxes at once, and a bad file leaves the last good version.
func TestReloadsUnderLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bank.yaml")
	writeFile(t, file, versioned(0))
	b := watchBank(t, file, never, io.Discard)
	for _, name := range []string{"one", "two", "three"} {
		b.call(201, "POST "+sandboxesURL, `{"name":"`+name+`"}`)
	}
	for range 60 { // that the list of sandboxes shows, too
		b.call(201, "POST "+sandboxesURL, "")
	}
	b.call(201, "POST "+sandboxesURL, `{"name":"fixed","scenarioYaml":"extends: base"}`)
	fixed := b.call(200, "GET "+sandboxesURL+"/fixed/state", "").body

	var answers atomic.Int64
	done := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := sync.OnceFunc(func() { close(done) })
	defer stop()
	for range 4 {
		o := &observer{watchedBank: b, answers: &answers}
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				name := []string{"default", "one", "two", "three"}[i%4]
				o.list(name)
				o.create(name, i)
				o.sandboxes()
				if i%10 == 9 {
					o.call(204, "POST "+sandboxesURL+"/"+name+"/reset", "")
				}
			}
		})
	}

	const changes = 200
	good, bad := 0, 0
	for i := 1; i <= changes; i++ {
		if i%3 != 0 {
			replaceFile(t, file, versioned(i))
			b.awaitName(fmt.Sprintf("v%d", i))
			good++
			continue
		}
		replaceFile(t, file, versioned(i)+fmt.Sprintf("mistake: %d\n", i))
		got := b.awaitProblem(`unknown key "mistake"`)
		assert.Equal(t, fmt.Sprintf("v%d", i-1), got.Name, "the last good one")
		bad++
	}
	stop()
	wg.Wait()
	for _, name := range []string{"default", "one", "two", "three"} {
		(&observer{watchedBank: b, latest: changes, answers: &answers}).list(name)
	}
	assert.Equal(t, fixed, b.call(200, "GET "+sandboxesURL+"/fixed/state", "").body)
	assert.Equal(t, reloadCounts(1, bad, good, 0), b.reloads())
	t.Logf("%d good and %d bad changes, %d answers", good, bad, answers.Load())
}

// A request that waits out a delay while the scenario is replaced is answered by the version that it began with.
func TestReloadDuringARequest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bank.yaml")
	delayed := func(version int) string { return strings.Replace(versioned(version), "2ms", "1s", 1) }
	writeFile(t, file, delayed(1))
	b := watchBank(t, file, never, io.Discard)
	began := make(chan answer, 2)
	for _, a := range []attempt{listGroups, createGroup} {
		go func() {
			res, err := a.try(b.bank)
			assert.NoError(t, err)
			began <- res
		}()
	}
	for !strings.Contains(b.call(200, "GET "+defaultURL+"/faults", "").body, `"fired":2`) {
	}
	replaceFile(t, file, versioned(2))
	b.awaitName("v2")
	for range 2 {
		res := <-began
		assert.Equal(t, "1", res.Header.Get("X-Version"))
		if res.Request.Method == "POST" {
			assert.Equal(t, 201, res.StatusCode, "the status of version 1")
			continue
		}
		assert.Contains(t, res.body, "A 1")
	}
	assert.NotContains(t, b.state(), "Night owls", "what version 1 was told is gone with it")
}
