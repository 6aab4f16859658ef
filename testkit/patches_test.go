package testkit_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/testkit"
)

// The kits that write patches by hand have all that the control API takes.
func TestPatchesOfTheKits(t *testing.T) {
	python, err := os.ReadFile("python/banksim_testkit/bank.py")
	require.NoError(t, err)
	capital := regexp.MustCompile("[A-Z]")
	for _, patch := range []any{api.UserPatch{}, api.AccountPatch{}, api.InstitutionPatch{}} {
		of := reflect.TypeOf(patch)
		java, err := os.ReadFile("java/src/main/java/io/github/digitalbankingsim/" + of.Name() + ".java")
		require.NoError(t, err)
		for _, field := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			assert.Contains(t, string(java), " "+name+"(", of.Name())
			word := capital.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) })
			assert.Contains(t, string(python), name+"="+word, of.Name())
		}
	}
	for ours, theirs := range map[reflect.Type]reflect.Type{
		reflect.TypeFor[testkit.UserPatch]():    reflect.TypeFor[api.UserPatch](),
		reflect.TypeFor[testkit.AccountPatch](): reflect.TypeFor[api.AccountPatch](),
	} {
		assert.Equal(t, theirs.NumField(), ours.NumField(), ours.Name())
	}
}
