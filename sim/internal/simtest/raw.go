package simtest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// Raw returns the call as a request of HTTP/1.1 in bytes, with a base path such as that of [Bank.BasePath]. Nothing is
// escaped or checked, so that a call can be one that no client library sends.
func (c Call) Raw(basePath string) []byte {
	var raw bytes.Buffer
	fmt.Fprintf(&raw, "%s %s%s HTTP/1.1\r\nHost: bank.test\r\n", c.Method, basePath, c.Path)
	for name, values := range c.Header {
		for _, value := range values {
			fmt.Fprintf(&raw, "%s: %s\r\n", name, value)
		}
	}
	if c.Body != "" && c.Header.Get("Content-Length") == "" && c.Header.Get("Transfer-Encoding") == "" {
		fmt.Fprintf(&raw, "Content-Length: %d\r\n", len(c.Body))
	}
	raw.WriteString("\r\n" + c.Body)
	return raw.Bytes()
}

// Hostile returns calls that careless programs handle wrongly, in an order that is always the same: broken paths, queries,
// headers, framing and bodies, after what attacks on the simulator have found.
func Hostile() []Call {
	var all []Call
	for _, path := range []string{
		"/%80", "/%", "/%zz", "/%00", "//", "/..", "*", "http://bank.test" + GroupsPath, GroupsPath + "/%2F", GroupsPath + "%80",
		"/sandboxes/%80", "/sandboxes/", "/sandboxes/default/", "/sandboxes/%2e%2e/x",
		"/" + strings.Repeat("../", 500), "/" + strings.Repeat("a", 20_000),
	} {
		all = append(all, ListGroups.At(path), CreateGroup.At(path))
	}
	for _, query := range []string{
		"size=99999999999999999999", "size=-1", "size=0x10", "page=1e3", "page=%80", "sort=%80", "sort=groupName,%00", "sort=;",
		"=&&=", "%zz=1", "size=1&size=2",
	} {
		all = append(all, ListGroups.WithQuery(query))
	}
	for _, value := range []string{
		"\x80", "\xff\xfe", "\x01", "\x7f", "a\x00b", "é🙂", strings.Repeat("x", 30_000), "Bearer \x80", "Basic \x80",
		"Basic =", "Bearer",
	} {
		all = append(all, GetDisclosures.With("authorization", value), CreateAlert.With("userid", value),
			CreateGroup.With("Banksim-Fault", "status=500; message="+value))
		for _, name := range []string{"transactionId", "institutionId", "X-Forwarded-Prefix"} {
			all = append(all, CreateGroup.With(name, value))
		}
	}
	for _, framing := range [][2]string{
		{"Content-Length", "5"}, {"Content-Length", "99999999999999999999"}, {"Content-Length", "-1"}, {"Content-Length", "+2"},
		{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked, identity"}, {"Transfer-Encoding", "\x0bchunked"},
		{"Expect", "100-continue"}, {"Upgrade", "h2c"}, {"Content-Encoding", "gzip"}, {"Range", "bytes=0-"},
		{"Content-Type", "application/json; charset=\x80"}, {"Content-Type", ";"},
	} {
		all = append(all, CreateGroup.With(framing[0], framing[1]))
	}
	all = append(all, CreateGroup.With("Transfer-Encoding", "chunked").WithBody("5\r\n{\"a\":\r\nffffffffffffffff\r\n"),
		CreateGroup.Adding("Content-Length", "2").Adding("Content-Length", "3"))
	for _, body := range hostileBodies {
		for _, call := range []Call{CreateGroup, UpdateAccount, CreateAlert, IssueTokens, RevokeTokens, UpdateUser} {
			all = append(all, call.WithBody(body))
		}
		all = append(all, IssueTokens.WithForm(body))
	}
	for _, method := range []string{http.MethodHead, http.MethodTrace, http.MethodConnect, http.MethodOptions, "BREW", "get"} {
		all = append(all, ListGroups.WithMethod(method))
	}
	return all
}

// hostileBodies are bodies with duplicate members, invalid UTF-8, control characters, huge numbers and deep nesting.
var hostileBodies = []string{
	`{"groupName":"x","groupName":"y"}`, `{"groupName":"x","GROUPNAME":"y"}`,
	"{\"groupName\":\"\x80\"}", "{\"groupName\":\"a\x01b\"}", "{\"groupName\":\"\u2028\u202e\"}",
	`{"groupName":"\ud800"}`, `{"groupName":"\u0000"}`, `{"groupName":1e999999999}`,
	`{"groupName":"x","groupDescription":` + strings.Repeat("9", 400) + "}",
	`{"activateEstatement":true,"accountId":"\ud800"}`, `{"activateEstatement":"true"}`,
	`{"alertOpted":true,"additionalInfo":{"":{"":{"":null}}}}`, `{"alertPreferenceDetails":{"alertPrefId":9223372036854775808}}`,
	`{"alertOpted":true,"additionalInfo":{"n":123456789012345678901234567890.5e-400}}`,
	`{"grant_type":"password","username":"\ufffd","password":""}`, `{"token":null}`,
	"grant_type=password&username=%80&password=%zz", "grant_type=client_credentials&grant_type=password",
	strings.Repeat("[", 20_000), `{"a":` + strings.Repeat(`{"a":`, 5_000), "\ufeff{}", "null", "", "\x00", "{}{}", "[]",
}
