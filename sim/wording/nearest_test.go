package wording

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	known := []string{"hostUserId", "username", "password", "active", "run", "start"}
	for name, want := range map[string]string{
		"hostUserID":   "hostUserId",
		"host_user_id": "hostUserId",
		"hostUsrId":    "hostUserId",
		"usrename":     "username",
		"actve":        "active",
		"rnu":          "run",
		"nur":          "",
		"x":            "",
		"everything":   "",
		"":             "",
		"ACTIVE":       "active",
		"inactive":     "", // nobody who wrote it meant active
	} {
		got, ok := Nearest(name, known)
		assert.Equal(t, want, got, name)
		assert.Equal(t, want != "", ok, name)
	}
	_, ok := Nearest(strings.Repeat("active", 20), known)
	assert.False(t, ok)
}

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abd", 1}, {"abc", "abcd", 1},
		{"abcd", "acbd", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}, {"büro", "buro", 1},
	} {
		assert.Equal(t, test.want, Edits([]rune(test.a), []rune(test.b)), "%s -> %s", test.a, test.b)
	}
}
