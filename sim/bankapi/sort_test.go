package bankapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A parameter sort may end with ignorecase, as Spring Data reads it. Links repeat what counts.
func TestSortIgnoringCase(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+`behavior: {groups: {duplicateName: allow}}
institutions: [{institutionId: "02688", groups: [{groupName: aab}, {groupName: AAC}, {groupName: AAa}]}]
`)
	for path, property := range map[string]string{
		simtest.GroupsPath:                               "groupName",
		contract.JobsList.Path:                           "group.groupName",
		simtest.Calls[contract.JobsListErrors.Name].Path: "errorMsg",
	} {
		for sort, repeated := range map[string]string{
			"PROPERTY,DESC,IgnoreCase":           "&sort=PROPERTY,desc,ignorecase",
			"PROPERTY%2Cignorecase":              "&sort=PROPERTY,asc,ignorecase",
			"PROPERTY,":                          "&sort=PROPERTY,asc",
			"PROPERTY,desc&sort=PROPERTY,asc":    "&sort=PROPERTY,desc&sort=PROPERTY,asc",
			"desc,ignorecase&sort=PROPERTY,desc": "&sort=PROPERTY,desc",
			"ignorecase":                         "",
			",":                                  "",
			"PROPERTY,ignorecase,desc":           "refused",
			"PROPERTY,ignore-case":               "refused",
		} {
			res := listGroups.At(path + "?size=1&sort=" + strings.ReplaceAll(sort, "PROPERTY", property)).Send(b)
			if repeated == "refused" {
				assert.Equal(t, http.StatusInternalServerError, res.StatusCode, sort)
				continue
			}
			self := b.BaseURL() + path + "?page=0&size=1" + strings.ReplaceAll(repeated, "PROPERTY", property)
			assert.Contains(t, res.Body, `{"rel":"self","href":"`+self+`"}`, sort)
		}
	}
	for sort, want := range map[string]string{
		"groupName": "AAC AAa aab", "groupName,ignorecase": "AAa aab AAC", "groupName,desc,ignorecase": "AAC aab AAa",
	} {
		res := listGroups.At(simtest.GroupsPath + "?size=100&sort=" + sort).Send(b)
		names := regexp.MustCompile(`"[Aa][Aa]."`).FindAllString(res.Body, -1)
		assert.Equal(t, want, strings.ReplaceAll(strings.Join(names, " "), `"`, ""))
	}
}
