package redact_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// The path of an operation is kept, with any variable. Of another path, only the words of the interface are kept.
func TestPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "", "/": "/", "//": "//", "*": redact.Fingerprint("*"),
		"/" + canary:                           "/" + secret,
		canary:                                 secret,
		"/digitalbanking/nothing":              "/digitalbanking/" + redact.Fingerprint("nothing"),
		"/digitalbanking/groups/v3/groups/":    "/digitalbanking/groups/v3/groups/",
		"//digitalbanking/Groups":              "//digitalbanking/Groups",
		"/digitalbanking/groups/v3/" + canary:  "/digitalbanking/groups/v3/" + secret,
		"/digitalbanking/group/v4/gruops/tokn": "/digitalbanking/group/v4/gruops/tokn", // a slip in each
		"/digitalbanking/groups/v44/groups":    "/digitalbanking/groups/" + redact.Fingerprint("v44") + "/groups",
		"/%63Anary7secret":                     "/" + secret,
		"/%zz" + canary:                        "/" + redact.Fingerprint("%zz"+canary),
		"/\xff":                                "/" + redact.Fingerprint("\xff"),
		"/" + canary + "/groups;" + canary + "/disclosures": "/" + secret + "/" + redact.Fingerprint("groups;"+canary) + "/disclosures",
	} {
		assert.Equal(t, want, redact.Path(path), path)
	}
	const uuid = "5b6cf1de-3a0e-4b57-8f0c-6d2f0e9a4c11"
	for _, op := range contract.Operations {
		for _, value := range []string{"acc-1", "a%2Fb", "%00", "{accountId}", uuid, "41"} {
			path := filled(op.Path, value)
			shown := !slices.ContainsFunc(op.Parameters, func(p contract.Parameter) bool { return p.Shown != nil && !p.Shown.MatchString(value) })
			if shown {
				assert.Equal(t, path, redact.Path(path))
			} else if path != op.Path {
				assert.NotContains(t, redact.Path(path), "/"+value, "only a UUID names a group or a job, and a number an alert preference")
				assert.Equal(t, redact.Path(path), redact.PathOf(op.Name, path))
			}
			if path == op.Path {
				continue
			}
			assert.NotContains(t, redact.Path(path+"/"+canary), canary)
			assert.NotContains(t, redact.Path("/"+canary+path), canary)
			assert.NotContains(t, redact.Path(filled(op.Path, canary)+"/more"), canary, "a variable is one in the path of an operation alone")
		}
	}
	many := redact.Path("/groups" + strings.Repeat("/a", 10_000))
	assert.Less(t, len(many), 5000, "many segments get one fingerprint together")
}

// filled returns a path with a value in the place of its variables.
func filled(path, value string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			segments[i] = value
		}
	}
	return strings.Join(segments, "/")
}

func TestMethods(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"", "GET", "get", "DELETE", "OPTIONS", "Patch"} {
		assert.Equal(t, method, redact.Method(method))
	}
	for _, method := range []string{canary, "GETS", "PROPFIND", "G\xffT"} {
		assert.Equal(t, redact.Fingerprint(method), redact.Method(method))
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "hostUserId", "HOSTUSERID", "page", "access_token", "password", "accountId", "institutionId"} {
		assert.Equal(t, name, redact.Name(name))
	}
	assert.Equal(t, secret, redact.Name(canary))
}

// Whatever a path contains, only what the interface has stays, and the result is as valid a path.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/digitalbanking/groups/v3/groups", "/x/%zz//\xff", "/digitalbanking/ux-users/v1/e-statements/a/disclosures"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		kept := redact.Path(path)
		if _, err := url.Parse("http://x" + path); err == nil && strings.HasPrefix(path, "/") {
			assert.True(t, strings.HasPrefix(kept, "/"), kept)
		}
		assert.NotContains(t, redact.Path("/"+canary+path), canary)
	})
}
