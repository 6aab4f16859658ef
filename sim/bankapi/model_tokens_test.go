package bankapi_test

import (
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"strconv"
	"time"
)

// The reference's token operations, and its list of groups.

// clientFault returns the code of what is wrong with the keys and headers of a client's request; notHere is the
// code for a client of another institution.
func (b *refBank) clientFault(r tokenRequest, notHere string) string {
	switch {
	case r.client.kind != "basic" || !b.hasClient("", r.client.shared, r.client.secret):
		return "CMN_90004"
	case r.institutionID == "" || r.institutionID == "2688x":
		return "CMN_90005"
	case r.transactionID == "":
		return "CMN_90008"
	case !b.hasClient(r.institutionID, r.client.shared, r.client.secret):
		return notHere
	}
	return ""
}

// issue says what tokens.issue answers.
func (b *refBank) issue(r tokenRequest, now time.Time) verdict {
	statuses := map[string]int{"CMN_90004": 401, "CMN_90006": 403, "CMN_90015": 401}
	refuse := func(code string) verdict {
		if status, ok := statuses[code]; ok {
			return refused(status, code)
		}
		return refused(400, code)
	}
	if code := b.clientFault(r, "CMN_90006"); code != "" {
		return refuse(code)
	}
	switch {
	case r.body.fault == "media":
		return refused(415, "BANKSIM_UNSUPPORTED_MEDIA_TYPE")
	case r.body.fault != "":
		return refuse("CMN_90011")
	}
	is := b.Behavior.Tokens
	grant := refGrant{institution: r.institutionID, client: r.client.shared, grantType: r.members["grant_type"]}
	withRefresh := true
	renewed := -1 // the grant that is refreshed
	switch grant.grantType {
	case "client_credentials":
		withRefresh = false
	case "password":
		user, code := b.login(r)
		if code != "" {
			return refuse(code)
		}
		grant.user = user.ID
	case "refresh_token":
		old, token := b.token(r.members["refresh_token"])
		if old == nil || !token.refresh || old.revoked || !now.Before(token.expires) || old.institution != r.institutionID || old.client != r.client.shared {
			return refuse("CMN_90016")
		}
		for g := range b.grants {
			if &b.grants[g] == old {
				renewed = g
			}
		}
		grant = *old
	default:
		return refuse("CMN_90007")
	}
	return verdict{status: 200, then: func(l *learner, body string) {
		got := decodeBody[simtest.Tokens](l, body)
		want := simtest.Tokens{TokenType: "Bearer", AccessToken: got.AccessToken, ExpiresIn: wholeSeconds(is.AccessLifetime), FIID: grant.institution}
		access := refToken{text: got.AccessToken, expires: now.Add(time.Duration(is.AccessLifetime))}
		l.freshToken(b, got.AccessToken, 28)
		if !withRefresh {
			l.equal(want, got, "tokens")
			l.drew(b, "access", got.AccessToken)
			grant.tokens = []refToken{access}
			b.grants = append(b.grants, grant)
			return
		}
		want.FICustomer, want.RefreshToken, want.RefreshExpiresIn = grant.user, got.RefreshToken, wholeSeconds(is.RefreshLifetime)
		l.equal(want, got, "tokens")
		l.freshToken(b, got.RefreshToken, 32)
		refresh := refToken{text: got.RefreshToken, refresh: true, expires: now.Add(time.Duration(is.RefreshLifetime))}
		if renewed < 0 {
			l.drew(b, "refresh", got.RefreshToken)
			l.drew(b, "access", got.AccessToken)
			grant.tokens = []refToken{access, refresh}
			b.grants = append(b.grants, grant)
			return
		}
		l.drew(b, "access", got.AccessToken)
		l.drew(b, "refresh", got.RefreshToken)
		g := &b.grants[renewed]
		for t := range g.tokens {
			g.tokens[t].used = g.tokens[t].used || g.tokens[t].refresh
		}
		g.tokens = append(g.tokens, access, refresh)
	}}
}

func wholeSeconds(d refDuration) string { return strconv.Itoa(int(time.Duration(d).Seconds())) }

func (b *refBank) login(r tokenRequest) (*refUser, string) {
	name, password := r.members["username"], r.members["password"]
	switch {
	case name == "":
		return nil, "CMN_90013"
	case password == "":
		return nil, "CMN_90014"
	}
	in := b.institution(r.institutionID)
	for u := range in.Users {
		if user := &in.Users[u]; user.Username == name && user.Password == password && user.Active {
			return user, ""
		}
	}
	return nil, "CMN_90015"
}

// revoke says what tokens.revoke answers.
func (b *refBank) revoke(r tokenRequest) verdict {
	if code := b.clientFault(r, "CMN_90004"); code == "CMN_90004" {
		return refused(401, code)
	} else if code != "" {
		return refused(400, code)
	}
	switch {
	case r.body.fault == "media":
		return refused(400, "CMN_90010")
	case r.body.fault != "":
		return refused(400, "CMN_90011")
	}
	text := r.members["refresh_token"]
	if text == "" {
		text = r.members["token"]
	}
	described := refGrant{institution: r.institutionID, client: r.client.shared}
	switch grantType := r.members["grant_type"]; {
	case text != "":
		grant, _ := b.token(text)
		if grant != nil && (grant.institution != r.institutionID || grant.client != r.client.shared) {
			return refused(400, "CMN_90016")
		}
		if (grant == nil || grant.revoked) && b.Behavior.Tokens.UnknownToken == "error" {
			return refused(400, "CMN_90016")
		}
		if grant != nil {
			grant.revoked = true
			described = *grant
		}
	case grantType == "password" && r.members["username"] != "" && r.members["password"] != "":
		user, code := b.login(r)
		if code != "" {
			return refused(401, "CMN_90004")
		}
		described.user = user.ID
		described = b.revokeAll(described)
	case grantType == "client_credentials":
		described = b.revokeAll(described)
	default:
		return refused(400, "CMN_90011")
	}
	return b.revocation(described)
}

// revokeAll revokes what a client holds for a user, or for none, and returns the newest of it.
func (b *refBank) revokeAll(held refGrant) refGrant {
	newest := held
	for g := range b.grants {
		grant := &b.grants[g]
		if grant.institution == held.institution && grant.client == held.client && grant.user == held.user && !grant.revoked {
			grant.revoked = true
			newest = *grant
		}
	}
	return newest
}

func (b *refBank) revocation(of refGrant) verdict {
	switch b.Behavior.Tokens.RevokeResponse {
	case "noContent":
		return verdict{status: 204, then: wantEmptyBody}
	case "authenticationResult":
		return verdict{status: 200, then: func(l *learner, body string) {
			got := decodeSome[struct {
				UserID        string `json:"userId"`
				InstitutionID string `json:"institutionId"`
				ClientID      string `json:"clientId"`
			}](l, body)
			l.equal(refCaller{of.institution, of.client, of.user}, refCaller{got.InstitutionID, got.ClientID, got.UserID}, "what was revoked")
		}}
	}
	want := simtest.Tokens{AccessToken: of.newest(false).text, ExpiresIn: "0", FIID: of.institution, FICustomer: of.user,
		RefreshToken: of.newest(true).text, RefreshExpiresIn: "0"}
	return verdict{status: 200, then: func(l *learner, body string) { wantBody(l, want, body) }}
}
