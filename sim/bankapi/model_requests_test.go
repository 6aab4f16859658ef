package bankapi_test

import (
	"encoding/base64"
	"maps"
	"net/url"
	"strings"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// Requests, as the reference reads them and as they are sent.

// credentials are an Authorization header: of the kind "none", "malformed", "bearer", "bare" or "basic".
type credentials struct {
	kind           string
	token          string // bearer, bare
	shared, secret string // basic
	malformed      string
}

// header returns the value of the header, empty for none.
func (c credentials) header() string {
	switch c.kind {
	case "malformed":
		return c.malformed
	case "bearer":
		return "Bearer " + c.token
	case "bare":
		return c.token
	case "basic":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(c.shared+":"+c.secret))
	}
	return ""
}

// wireBody is a request body with its content type, and the rule that refuses it.
type wireBody struct {
	text, media string
	fault       sim.Code // empty: it is well-formed
}

// call returns a call of an operation with the body, and headers as names and values. An empty value means none.
func (b wireBody) call(op *contract.Operation, by credentials, headers ...string) simtest.Call {
	c := simtest.NewCall(op.Method, op.Path, b.text)
	headers = append(headers, "authorization", by.header(), "content-type", b.media)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			c.Header.Set(headers[i], headers[i+1])
		}
	}
	return c
}

type estatementRequest struct {
	operation *contract.Operation
	credentials
	correlationID, hostUserID, account string
	loginID                            string
	activate                           *bool
	body                               wireBody
}

type groupRequest struct {
	credentials
	transactionID, institutionID string
	id, name, description        string
	kind, platform               string // groupType and groupPlatform
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

func (r estatementRequest) wire() simtest.Call {
	c := r.body.call(r.operation, r.credentials, "correlationid", r.correlationID)
	c.Path = strings.Replace(c.Path, "{accountId}", r.account, 1)
	if r.hostUserID != "" {
		c = c.WithQuery("hostUserId=" + r.hostUserID)
	}
	if r.loginID != "" {
		c = c.WithQuery("loginId=" + r.loginID)
	}
	return c
}

func (r groupRequest) wire(op *contract.Operation) simtest.Call {
	return r.body.call(op, r.credentials, "transactionId", r.transactionID, "institutionId", r.institutionID)
}

func (r alertRequest) wire() simtest.Call { return r.wireOf(contract.AlertsCreatePreference) }

func (r alertRequest) wireOf(op *contract.Operation) simtest.Call {
	return r.body.call(op, r.credentials, "fiid", r.fiid, "transactionid", r.transactionID, "userid", r.userid)
}

func (r tokenRequest) wire(op *contract.Operation) simtest.Call {
	return r.body.call(op, r.client, "institutionId", r.institutionID, "transactionId", r.transactionID)
}

// chance is true once in n draws or so, and shrinks to false.
func chance(t *rapid.T, n int, label string) bool {
	return rapid.SampledFrom(append(make([]bool, n-1), true)).Draw(t, label)
}

func pick[V any](t *rapid.T, label string, of ...V) V { return rapid.SampledFrom(of).Draw(t, label) }

// usually picks one of the good values, and sometimes one of the others.
func usually[V any](t *rapid.T, label string, good []V, others ...V) V {
	if chance(t, 8, "another "+label) {
		return pick(t, label, others...)
	}
	return pick(t, label, good...)
}

// mostly is usually for requests of many parts, of which one is enough to have them refused.
func mostly[V any](t *rapid.T, label string, good []V, others ...V) V {
	if chance(t, 30, "another "+label) {
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

// drawBearer draws credentials: usually a token of the sandbox, which may be revoked or expired, else one of another
// sandbox or a wrong header.
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

// drawBody draws the wire form of a body: usually well-formed, else spoilt in one of several ways.
func drawBody(t *rapid.T, members any) wireBody {
	good := wireBody{text: simtest.JSON(members), media: "application/json"}
	if !chance(t, 10, "spoilt") {
		return good
	}
	switch pick(t, "how", "media", "no media", "empty", "array", "cut off", "trailing", "twice") {
	case "media":
		return wireBody{good.text, "text/plain", contract.MediaTypeUnknown}
	case "no media":
		return wireBody{good.text, "", contract.MediaTypeUnknown}
	case "empty":
		return wireBody{"", good.media, contract.BodyMalformed}
	case "array":
		return wireBody{"[]", good.media, contract.MemberMistyped}
	case "cut off":
		return wireBody{good.text[:len(good.text)-1], good.media, contract.BodyMalformed}
	case "trailing":
		return wireBody{good.text + "{}", good.media, contract.BodyAmbiguous}
	}
	return wireBody{`{"x":1,"x":2}`, good.media, contract.BodyAmbiguous}
}

func drawEstatement(t *rapid.T, operation *contract.Operation, bearer credentials) estatementRequest {
	r := estatementRequest{
		operation:     operation,
		credentials:   bearer,
		correlationID: usually(t, "correlationid", []string{"9b2f3c52-9d4e-4d26-8a39-1d4a5a0e8f11"}, "c-1", ""),
		hostUserID:    usually(t, "hostUserId", []string{"1001", "1003", "1002", "1004"}, "7", ""),
		account:       pick(t, "accountId", "checking", "savings", "loan", "nope"),
	}
	if chance(t, 5, "by name") {
		r.loginID = pick(t, "loginId", "avery", "blake", "nobody")
		r.hostUserID = pick(t, "hostUserId beside it", "", "", "1001")
	} else if chance(t, 8, "by token") {
		r.hostUserID = ""
	}
	if !operation.Changes {
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
		r.body.text, r.body.fault = `{"activateEstatement":"true","accountId":"checking"}`, contract.MemberMistyped
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
	r.kind = usually(t, "groupType", []string{"", "EXPERIENCE_GROUP"}, "BOOK_CLUB")
	r.platform = usually(t, "groupPlatform", []string{"", "RETAIL_BANKING"}, "CORPORATE_BANKING")
	members := map[string]string{"groupId": r.id, "groupName": r.name, "groupDescription": r.description}
	for name, value := range map[string]string{"groupType": r.kind, "groupPlatform": r.platform} {
		if value != "" {
			members[name] = value
		}
	}
	r.body = drawBody(t, members)
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
		institutionID: usually(t, "institutionId", []string{"02688"}, "05523", "99999", "2688x", "", ""),
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
