package memlimit_test

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/memlimit"
)

const mib = 1 << 20

// files returns a file system with texts, by path.
func files(texts ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(texts); i += 2 {
		root[texts[i]] = &fstest.MapFile{Data: []byte(texts[i+1])}
	}
	return root
}

func TestTheLimitComesFromTheControlGroup(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		root   fstest.MapFS
		limit  int64 // of the group
		source string
	}{
		"a container, v2":        {files("sys/fs/cgroup/memory.max", "67108864\n", "proc/self/cgroup", "0::/\n"), 64 * mib, "cgroup v2"},
		"v2 without a limit":     {files("sys/fs/cgroup/memory.max", "max\n"), 0, "none"},
		"a group of the machine": {files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max", "104857600"), 100 * mib, "cgroup v2"},
		"a lower limit above it": {files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max", "104857600", "sys/fs/cgroup/a/memory.max", "52428800"), 50 * mib, "cgroup v2"},
		"a container, v1":        {files("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n", "proc/self/cgroup", "3:cpu,memory:/docker/x\n"), 256 * mib, "cgroup v1"},
		"v1 without a limit":     {files("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), 0, "none"},
		"not a number":           {files("sys/fs/cgroup/memory.max", "lots"), 0, "none"},
		"another system":         {files(), 0, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := memlimit.Of(test.root, "", math.MaxInt64)
			assert.Equal(t, test.limit/100*85, limits.Memory)
			assert.Equal(t, test.source, limits.Source)
		})
	}
}

func TestGOMEMLIMITWins(t *testing.T) {
	t.Parallel()
	root := files("sys/fs/cgroup/memory.max", "67108864")
	assert.Equal(t, int64(20*mib), memlimit.Of(root, "20MiB", 20*mib).Memory)
	assert.Equal(t, int64(0), memlimit.Of(root, "off", math.MaxInt64).Memory)
	assert.Equal(t, "environment", memlimit.Of(root, "off", math.MaxInt64).Source)
}

func TestBudgetsFollowFromTheLimit(t *testing.T) {
	t.Parallel()
	none := memlimit.Of(files(), "", math.MaxInt64)
	assert.Equal(t, 512*mib, none.Journals)
	assert.Equal(t, int64(64*mib), none.Bodies)
	assert.Equal(t, 4, none.LargeAnswers)
	assert.Equal(t, []any{"limit", "none", "source", "none", "journals", "512.0MiB", "bodies", "64.0MiB", "worlds", "none", "large-answers", 4, "heap-room", "64.0MiB"}, none.Attributes())

	small := memlimit.Of(files("sys/fs/cgroup/memory.max", "67108864"), "", math.MaxInt64)
	assert.Less(t, int64(small.Journals)+small.Bodies+int64(small.WorldBytes), small.Memory*6/10)
	assert.Equal(t, 2, small.LargeAnswers)
	assert.Equal(t, []any{"limit", "54.4MiB", "source", "cgroup v2", "journals", "13.6MiB", "bodies", "3.4MiB", "worlds", "13.6MiB", "large-answers", 2, "heap-room", "13.6MiB"},
		small.Attributes())

	large := memlimit.Of(files("sys/fs/cgroup/memory.max", "68719476736"), "", math.MaxInt64)
	assert.Equal(t, none.Journals, large.Journals)
	assert.Equal(t, none.Bodies, large.Bodies)
	assert.Equal(t, none.HeapRoom, large.HeapRoom)
}
