package bankapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A parameter sort may end with ignorecase, as Spring Data reads it. Links repeat what counts.
func TestSortIgnoringCase(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+`behavior: {groups: {duplicateName: allow}}
institutions: [{institutionId: "02688", groups: [{groupName: aab}, {groupName: AAC}, {groupName: AAa}]}]
`)
	lists := map[string]struct {
		call     simtest.Call
		property string
	}{
		"groups": {listGroups.At(simtest.GroupsPath), "groupName"},
		"jobs":   {simtest.ListJobs.At(contract.JobsList.Path), "group.groupName"},
		"errors": {simtest.Calls[contract.JobsListErrors.Name], "errorMsg"},
	}
	for name, list := range lists {
		for sort, repeated := range map[string]string{
			"PROPERTY,desc,ignorecase":            "PROPERTY,desc,ignorecase",
			"PROPERTY,ignorecase":                 "PROPERTY,asc,ignorecase",
			"PROPERTY,IgnoreCase":                 "PROPERTY,asc,ignorecase",
			"PROPERTY,DESC,IGNORECASE":            "PROPERTY,desc,ignorecase",
			"PROPERTY%2Cdesc%2Cignorecase":        "PROPERTY,desc,ignorecase",
			"PROPERTY,,desc,ignorecase":           "PROPERTY,desc,ignorecase",
			"PROPERTY":                            "PROPERTY,asc",
			"PROPERTY,":                           "PROPERTY,asc",
			"PROPERTY,desc&sort=PROPERTY,asc":     "PROPERTY,desc&sort=PROPERTY,asc",
			"desc,ignorecase&sort=PROPERTY,desc":  "PROPERTY,desc",
			"ignorecase":                          "",
			"desc,ignorecase":                     "",
			"desc":                                "",
			"":                                    "",
			",":                                   "",
			",ignorecase":                         "",
			"PROPERTY,ignorecase,desc":            "refused",
			"ignorecase,PROPERTY":                 "refused",
			"PROPERTY,desc,ignorecase,ignorecase": "refused",
			"PROPERTY,ignore-case":                "refused",
		} {
			sort = strings.ReplaceAll(sort, "PROPERTY", list.property)
			res := list.call.WithQuery("size=1&sort=" + sort).Send(b)
			if repeated == "refused" {
				assert.Equal(t, http.StatusInternalServerError, res.StatusCode, "%s: %s", name, sort)
				continue
			}
			require.Equal(t, http.StatusOK, res.StatusCode, "%s: %s: %s", name, sort, res.Body)
			self := list.call.Path + "?page=0&size=1"
			if repeated != "" {
				self += "&sort=" + strings.ReplaceAll(repeated, "PROPERTY", list.property)
			}
			assert.Contains(t, res.Body, `{"rel":"self","href":"`+b.BaseURL()+self+`"}`, "%s: %s", name, sort)
		}
	}
	names := func(sort string) string {
		res := listGroups.At(simtest.GroupsPath + "?size=100&sort=" + sort).Send(b)
		found := regexp.MustCompile(`"groupName":"([Aa][Aa].)"`).FindAllStringSubmatch(res.Body, -1)
		var all []string
		for _, match := range found {
			all = append(all, match[1])
		}
		return strings.Join(all, " ")
	}
	assert.Equal(t, "AAC AAa aab", names("groupName"))
	assert.Equal(t, "AAa aab AAC", names("groupName,ignorecase"))
	assert.Equal(t, "AAC aab AAa", names("groupName,desc,ignorecase"))
}

// The public description has three properties to sort a list of groups by. A scenario may list others.
func TestPublicSortProperties(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	listed := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {groups: {sortProperties: [noOfParticipants]}}\n")
	status := func(b *simtest.Bank, property string) int {
		call := listGroups.At("/v3/groups?sort="+property).WithToken("demo-token").With("transactionId", aUUID)
		return call.Send(b).StatusCode
	}
	for _, property := range []string{"groupId", "groupName", "groupType.groupTypeName"} {
		assert.Equal(t, http.StatusOK, status(b, property), property)
	}
	for _, property := range []string{"groupType", "noOfParticipants"} {
		assert.Equal(t, http.StatusInternalServerError, status(b, property), property)
	}
	assert.Equal(t, http.StatusOK, status(listed, "noOfParticipants"))
	assert.Equal(t, http.StatusInternalServerError, status(listed, "groupName"))
}
