package bankapi_test

import (
	"encoding/base64"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Requests as the reference sees them, and as they are sent.

// credentials are an Authorization header: of the kind "none", "malformed", "bearer", "bare" or "basic".
type credentials struct {
	kind           string
	token          string // bearer, bare
	shared, secret string // basic
	malformed      string
}

func (c credentials) header() []string {
	switch c.kind {
	case "none":
		return nil
	case "malformed":
		return []string{"authorization: " + c.malformed}
	case "bearer":
		return []string{"authorization: Bearer " + c.token}
	case "bare":
		return []string{"authorization: " + c.token}
	}
	return []string{"authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(c.shared+":"+c.secret))}
}

// wireBody is a request body with its content type, or one with a fault: "media" or "syntax".
type wireBody struct{ text, media, fault string }

type estatementRequest struct {
	operation string
	credentials
	correlationID, hostUserID, account string
	activate                           *bool
	body                               wireBody
}

type groupRequest struct {
	credentials
	transactionID, institutionID string
	id, name, description        string
	body                         wireBody
	page                         pageRequest
}

type alertRequest struct {
	credentials
	fiid, transactionID, userid string
	alert                       alertBody
	body                        wireBody
}

type tokenRequest struct {
	client                       credentials
	institutionID, transactionID string
	members                      map[string]string
	body                         wireBody
}

// headers returns "Name: value" headers, less those without a value.
func headers(more []string, pairs ...string) []string {
	all := slices.Clone(more)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			all = append(all, pairs[i]+": "+pairs[i+1])
		}
	}
	return all
}

func (r estatementRequest) wire() simtest.Call {
	route := simtest.RouteOf(r.operation)
	c := simtest.NewCall(route.Method, strings.Replace(route.Path, "{accountId}", r.account, 1), r.body.text,
		headers(r.credentials.header(), "correlationid", r.correlationID, "content-type", r.body.media)...)
	if r.hostUserID != "" {
		return c.WithQuery("hostUserId=" + r.hostUserID)
	}
	return c
}

func (r groupRequest) headers() []string {
	return headers(r.credentials.header(), "transactionId", r.transactionID, "institutionId", r.institutionID, "content-type", r.body.media)
}

func (r alertRequest) wire() simtest.Call {
	return simtest.NewCall(http.MethodPost, simtest.AlertsPath, r.body.text,
		headers(r.credentials.header(), "fiid", r.fiid, "transactionid", r.transactionID, "userid", r.userid, "content-type", r.body.media)...)
}

func (r tokenRequest) wire(method, path string) simtest.Call {
	return simtest.NewCall(method, path, r.body.text,
		headers(r.client.header(), "institutionId", r.institutionID, "transactionId", r.transactionID, "content-type", r.body.media)...)
}

// chance is true once in n draws or so, and shrinks to false.
func chance(t *rapid.T, n int, label string) bool {
	return rapid.SampledFrom(append(make([]bool, n-1), true)).Draw(t, label)
}

func pick[V any](t *rapid.T, label string, of ...V) V { return rapid.SampledFrom(of).Draw(t, label) }

// usually picks one of the good values, and now and then one of the others.
func usually[V any](t *rapid.T, label string, good []V, others ...V) V {
	if chance(t, 8, "another "+label) {
		return pick(t, label, others...)
	}
	return pick(t, label, good...)
}

// optional returns a pointer to one of some values, or nil.
func optional[V any](t *rapid.T, label string, of ...V) *V {
	if chance(t, 2, "no "+label) {
		return nil
	}
	v := pick(t, label, of...)
	return &v
}

// drawBearer draws credentials: mostly a token that the sandbox has had, revoked and expired ones too, else one of
// another sandbox, or a wrong header.
func drawBearer(t *rapid.T, here, elsewhere []string) credentials {
	switch usually(t, "credentials", []string{"here", "seeded", "here"}, "elsewhere", "none", "bare", "malformed") {
	case "here":
		return credentials{kind: "bearer", token: pick(t, "token", here...)}
	case "seeded":
		return credentials{kind: "bearer", token: "demo-token"}
	case "elsewhere":
		return credentials{kind: "bearer", token: pick(t, "token", elsewhere...)}
	case "bare":
		return credentials{kind: "bare", token: pick(t, "token", here...)}
	case "malformed":
		return credentials{kind: "malformed", malformed: pick(t, "header", "Bearer", "Bearer a b", "Basic eDp5", "Bearer demo-token, Bearer demo-token")}
	}
	return credentials{kind: "none"}
}

// drawBody draws the wire form of a body: mostly as it should be, else spoilt in one of several ways.
func drawBody(t *rapid.T, members any) wireBody {
	good := wireBody{text: simtest.JSON(members), media: "application/json"}
	if !chance(t, 10, "spoilt") {
		return good
	}
	switch pick(t, "how", "media", "no media", "empty", "array", "cut off", "trailing", "twice") {
	case "media":
		return wireBody{good.text, "text/plain", "media"}
	case "no media":
		return wireBody{good.text, "", "media"}
	case "empty":
		return wireBody{"", good.media, "syntax"}
	case "array":
		return wireBody{"[]", good.media, "syntax"}
	case "cut off":
		return wireBody{good.text[:len(good.text)-1], good.media, "syntax"}
	case "trailing":
		return wireBody{good.text + "{}", good.media, "syntax"}
	}
	return wireBody{`{"x":1,"x":2}`, good.media, "syntax"}
}

func drawEstatement(t *rapid.T, operation string, bearer credentials) estatementRequest {
	r := estatementRequest{
		operation:     operation,
		credentials:   bearer,
		correlationID: usually(t, "correlationid", []string{"9b2f3c52-9d4e-4d26-8a39-1d4a5a0e8f11"}, "c-1", ""),
		hostUserID:    usually(t, "hostUserId", []string{"1001", "1003", "1002", "1004"}, "7", ""),
		account:       pick(t, "accountId", "checking", "savings", "loan", "nope"),
	}
	if operation == "estatements.getDisclosures" {
		return r
	}
	members := map[string]any{}
	if !chance(t, 12, "no activateEstatement") {
		activate := rapid.Bool().Draw(t, "activateEstatement")
		r.activate, members["activateEstatement"] = &activate, activate
	}
	if chance(t, 12, "no accountId") {
		r.account = ""
	} else {
		members["accountId"] = r.account
	}
	r.body = drawBody(t, members)
	if chance(t, 20, "mistyped") && r.body.fault == "" {
		r.body.text, r.body.fault = `{"activateEstatement":"true","accountId":"checking"}`, "syntax"
	}
	return r
}

func drawGroup(t *rapid.T, bearer credentials, freshID string) groupRequest {
	r := groupRequest{
		credentials:   bearer,
		transactionID: usually(t, "transactionId", []string{freshID}, "t-one", "t-two", ""),
		institutionID: usually(t, "institutionId", []string{"", "02688", "05523"}, "7"),
		id:            pick(t, "groupId", "", "g-1", "g-7", "g-8"),
		name:          usually(t, "groupName", []string{"Wrens", "Jays", "Terns", "Kites", "Gone", "Rooks", "Ducks", "Owls", "Grüße"}, "Eiders and geese", "  ", ""),
		description:   pick(t, "groupDescription", "", "birds", "birds of a feather"),
	}
	if chance(t, 3, "not signed in") {
		r.credentials = credentials{kind: "none"}
	}
	r.body = drawBody(t, map[string]string{"groupId": r.id, "groupName": r.name, "groupDescription": r.description})
	return r
}

func drawAlert(t *rapid.T, bearer credentials) alertRequest {
	r := alertRequest{
		credentials:   bearer,
		fiid:          usually(t, "fiid", []string{"02688"}, "05523", "7", ""),
		transactionID: usually(t, "transactionid", []string{"t-1"}, ""),
		userid:        usually(t, "userid", []string{"1001", "1002", "1003"}, "7", ""),
	}
	r.alert.Opted = optional(t, "alertOpted", true, false)
	r.alert.AllowCallback = optional(t, "allowCallback", true, false)
	r.alert.Info = optional(t, "additionalInfo", map[string]string{}, map[string]string{"a": "b"})
	if chance(t, 2, "account") {
		r.alert.Account = &alertAccountBody{AccountID: optional(t, "accountId", "checking", "other")}
	}
	if !chance(t, 3, "no details") {
		r.alert.Details = &alertDetailsBody{
			Type:        optional(t, "alertTypeName", "LOW_BALANCE", "DEPOSIT", "NOISE"),
			Channel:     optional(t, "channelTypeName", "EMAIL", "SMS", "PIGEON"),
			Institution: optional(t, "institutionId", "", "02688", "05523"),
			Customer:    optional(t, "institutionCustomerId", "", "1001", "1002"),
		}
	}
	r.body = drawBody(t, r.alert)
	return r
}

func drawTokenRequest(t *rapid.T, grantTypes, refreshTokens []string) tokenRequest {
	r := tokenRequest{
		institutionID: usually(t, "institutionId", []string{"02688"}, "05523", "99999", "2688x", ""),
		transactionID: usually(t, "transactionId", []string{"t-1"}, ""),
		members:       map[string]string{},
	}
	type keys struct{ shared, secret string }
	k := usually(t, "client", []keys{{"demo-app", "demo-secret"}, {"other-app", "other-secret"}},
		keys{"second-app", "second-secret"}, keys{"demo-app", "wrong"}, keys{})
	r.client = credentials{kind: "basic", shared: k.shared, secret: k.secret}
	if k == (keys{}) {
		r.client = credentials{kind: "bearer", token: "demo-token"}
	}
	r.members["grant_type"] = pick(t, "grant_type", grantTypes...)
	switch r.members["grant_type"] {
	case "password":
		r.members["username"] = usually(t, "username", []string{"avery"}, "blake", "nobody", "")
		r.members["password"] = usually(t, "password", []string{"demo"}, "another", "wrong", "")
	case "refresh_token", "":
		r.members[pick(t, "member", "refresh_token", "refresh_token", "token")] = pick(t, "token", refreshTokens...)
	}
	maps.DeleteFunc(r.members, func(_, value string) bool { return value == "" })
	r.body = drawBody(t, r.members)
	if chance(t, 3, "as a form") && r.body.fault == "" {
		form := url.Values{}
		for name, value := range r.members {
			form.Set(name, value)
		}
		r.body.text, r.body.media = form.Encode(), "application/x-www-form-urlencoded"
	}
	return r
}
