package coverage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/coverage"
)

// What is written is read again, but for points of the contract that were neither met nor possible.
func TestReadWhatWasWritten(t *testing.T) {
	contract := coverage.Points()
	rapid.Check(t, func(t *rapid.T) {
		f := coverage.Merge(drawFile(t))
		var text bytes.Buffer
		require.NoError(t, coverage.Write(&text, f))
		read, err := coverage.Read(&text)
		require.NoError(t, err)
		for i, r := range f.Runs {
			kept := []coverage.Met{}
			for _, p := range r.Points {
				if p.Possible || p.Naturally > 0 || p.Injected > 0 || !slices.Contains(contract, p.Point) {
					kept = append(kept, p)
				}
			}
			f.Runs[i].Points = kept
		}
		require.Equal(t, f, read)
	})
}

func TestReadRefuses(t *testing.T) {
	tests := map[string]struct{ text, err string }{
		"nothing":         {" \n", "it is empty: write it again"},
		"cut off":         {`{"format":"banksim-coverage/1","runs":[{"id":`, "it is cut off, because its JSON has no end: write it again"},
		"not JSON":        {`<html>`, "it is not JSON (at byte 0)"},
		"more behind":     {`{"format":"banksim-coverage/1"}{}`, "it is not JSON (at byte 31)"},
		"no object":       {`[]`, "it is not a JSON object of format banksim-coverage/1"},
		"null":            {`null`, "it is not a JSON object of format banksim-coverage/1"},
		"no format":       {`{"runs":[]}`, `it has no member "format", which is banksim-coverage/1 in files of coverage`},
		"a report":        {`{"format":"banksim-report/1","runs":7}`, `its format is "banksim-report/1", and that of a file of coverage is banksim-coverage/1`},
		"newer":           {`{"format":"banksim-coverage/2","runs":{}}`, "its format banksim-coverage/2 is newer than banksim-coverage/1, which this version of banksim reads: use that which wrote it"},
		"no version":      {`{"format":"banksim-coverage/x"}`, `its format is "banksim-coverage/x"`},
		"of another type": {`{"format":"banksim-coverage/1","runs":[{"id":"a","points":[{"naturally":-1}]}]}`, "its member runs.0.points.0.naturally is not what format banksim-coverage/1 has there"},
		"beyond time":     {`{"format":"banksim-coverage/1","runs":[{"id":"a","started":"9999-12-31T23:59:59-01:00"}]}`, "its member runs.0.started is beyond the years"},
		"no run id":       {`{"format":"banksim-coverage/1","runs":[{"id":"a"},{}]}`, "its member runs.1.id is missing"},
		"no operation":    {`{"format":"banksim-coverage/1","runs":[{"id":"a","besides":[{"status":400}]}]}`, "its member runs.0.besides.0.operation is missing"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := coverage.Read(strings.NewReader(test.text))
			assert.ErrorContains(t, err, test.err)
		})
	}
}

func TestReadFileNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	_, err := coverage.ReadFile(filepath.Join(dir, "none.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "none.json")
	_, err = coverage.ReadFile(dir)
	assert.EqualError(t, err, dir+" is not a regular file")
	name := filepath.Join(dir, "large.json")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	require.NoError(t, os.Truncate(name, coverage.MaxFile+1))
	_, err = coverage.ReadFile(name)
	assert.EqualError(t, err, name+" can't be read as coverage: it is larger than 256 MiB, and no file of coverage is")
	name = filepath.Join(dir, "bad.json")
	require.NoError(t, os.WriteFile(name, []byte("{"), 0o600))
	_, err = coverage.ReadFile(name)
	assert.EqualError(t, err, name+" can't be read as coverage: it is cut off, because its JSON has no end: write it again")
}

// A file is replaced as a whole, and nothing else is left beside it.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "coverage.json")
	for _, id := range []string{"a", "b"} {
		require.NoError(t, coverage.WriteFile(name, file(coverage.Run{ID: id})))
		f, err := coverage.ReadFile(name)
		require.NoError(t, err)
		require.Len(t, f.Runs, 1)
		assert.Equal(t, id, f.Runs[0].ID)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)

	taken := filepath.Join(dir, "taken")
	require.NoError(t, os.MkdirAll(filepath.Join(taken, "full"), 0o700))
	assert.Error(t, coverage.WriteFile(taken, file()))
	left, err = os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 2, "no draft is left")
	assert.ErrorContains(t, coverage.WriteFile(filepath.Join(dir, "nowhere", "coverage.json"), file()), "nowhere")
}

// Whatever a file has, it is refused or can be merged, summed up and written.
func FuzzRead(f *testing.F) {
	var text bytes.Buffer
	require.NoError(f, coverage.Write(&text, file(coverage.Run{ID: "a/1", Points: []coverage.Met{met(points[0], 1, 0), met(points[6], 0, 2)}, Entries: map[string]uint64{"cards.new": 1}})))
	f.Add(text.Bytes())
	f.Add([]byte(`{"format":"banksim-coverage/1","runs":[{"id":"a","started":"0000-01-01T00:00:00-23:59","points":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := coverage.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		merged := coverage.Merge(read)
		coverage.Summarize(merged)
		var text bytes.Buffer
		require.NoError(t, coverage.Write(&text, merged))
		again, err := coverage.Read(&text)
		require.NoError(t, err)
		require.True(t, reflect.DeepEqual(coverage.Summarize(merged), coverage.Summarize(again)))
	})
}
