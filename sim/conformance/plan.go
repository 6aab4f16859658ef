package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

const (
	revokePath      = "/digitalbanking/oauth2/v1/revoke"
	tokenPath       = "/digitalbanking/oauth2/v1/token"
	groupsPath      = "/digitalbanking/groups/v3/groups"
	alertsPath      = "/digitalbanking/db-alerts-preferences/v1/alert-preferences"
	preferencePath  = "/digitalbanking/ux-users/v1/e-statements/preference"
	preferencesPath = "/digitalbanking/ux-users/v2/e-statements/user/preferences"
)

// accountsOf are the accounts of the users of the golden exchanges whose statements can be turned on and off one by one.
var accountsOf = map[string][]string{"1001": {"acc-1001-checking", "acc-1001-savings"}, "1003": {"acc-1003-checking"}, "1004": {"acc-1004-checking"}}

// reasonToSkip tells why an exchange can't be replayed at the service; empty: it can.
func (c *checker) reasonToSkip(e fixtures.Exchange) string {
	switch {
	case e.Behavior != nil:
		return "is about a switch of the simulator's"
	case e.Institutions != nil:
		return "needs a bank of its own making"
	case e.Advance != "":
		return "needs a clock that can be moved"
	case slices.Contains(e.Shows, "everywhere.unknown-sandbox"):
		return "is about the simulator's sandboxes"
	}
	if value := c.Credentials.missing(e); value != "" {
		return fmt.Sprintf("needs what stands for %q, which the credentials don't have", value)
	}
	for _, r := range append(slices.Clone(e.Before), e.Request) {
		if r.Method == http.MethodGet {
			continue
		}
		if !c.AllowWrites {
			return "may change something: --allow-writes replays it, too"
		}
	}
	return reasonNotToChange(e)
}

// reasonNotToChange tells why what an exchange changes must not be changed, because no request undoes it.
func reasonNotToChange(e fixtures.Exchange) string {
	for _, r := range changing(e) {
		body := members(r)
		switch path, query, _ := strings.Cut(r.Path, "?"); {
		case path == revokePath && body["refresh_token"] == "" && body["token"] == "":
			return "revokes all tokens of a client or a user, which can't be given back"
		case path == preferencesPath && query == "hostUserId=1004":
			return "changes an account that can't be changed back alone"
		case path == groupsPath && strings.EqualFold(body["groupName"], "early adopters"):
			return "takes a name that no request frees again"
		}
	}
	return ""
}

// changing returns the requests of an exchange that change something.
func changing(e fixtures.Exchange) []fixtures.Request {
	all := slices.Clone(e.Before)
	if e.Answer.Status < 300 {
		all = append(all, e.Request)
	}
	return slices.DeleteFunc(all, func(r fixtures.Request) bool { return r.Method == http.MethodGet })
}

// members returns the texts among the members of a body, JSON or form.
func members(r fixtures.Request) map[string]string {
	texts := map[string]string{}
	if form, err := url.ParseQuery(r.Body); r.JSON == nil && err == nil {
		for name := range form {
			texts[name] = form.Get(name)
		}
		return texts
	}
	var body map[string]any
	_ = json.Unmarshal(r.JSON, &body) // a body without members has none
	for name, value := range body {
		if text, ok := value.(string); ok {
			texts[name] = text
		}
	}
	return texts
}

// plan is what has to be undone after a replay.
type plan struct {
	substitution *substitution
	preferences  []preference // to put back, in this order
	tokens       []string     // to revoke
	left         []string     // what no request undoes
}

// preference is how an account's statements were delivered before.
type preference struct {
	hostUserID, account string // no account: all of the user's
	electronic          bool
}

// prepare gives an exchange that changes something what it may change: tokens of its own, group names of its own; and
// notes the preferences that it will change.
func (c *checker) prepare(ctx context.Context, e fixtures.Exchange, s *substitution) (*plan, error) {
	p := &plan{substitution: s}
	for _, r := range changing(e) {
		body := members(r)
		path, query, _ := strings.Cut(r.Path, "?")
		var err error
		switch path {
		case groupsPath:
			s.names[body["groupName"]] = uniqueName(body["groupName"])
		case revokePath, tokenPath:
			token := body["refresh_token"] + body["token"]
			if token == "demo-refresh" || token == "demo-token-2" || token == "demo-token" {
				err = c.ownTokens(ctx, s, p)
			}
		case preferencePath, preferencesPath:
			hostUserID := strings.TrimPrefix(query, "hostUserId=")
			accounts := accountsOf[hostUserID]
			if body["accountId"] != "" {
				accounts = []string{body["accountId"]}
			}
			err = c.notePreferences(ctx, s, p, hostUserID, accounts)
			if path == preferencesPath && len(p.preferences) > 0 {
				// The user's own disclosures change, too. No request tells how they were: as those of the first account.
				all := preference{hostUserID: hostUserID, electronic: p.preferences[0].electronic}
				p.preferences = slices.Insert(p.preferences, 0, all)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// uniqueName returns a group name as long as a given one, where that is long enough.
func uniqueName(name string) string {
	id := []rune(newID()[:13])
	runes := []rune(name)
	if len(runes) <= len(id) {
		return string(append(append(runes, ' '), id...))
	}
	copy(runes[len(runes)-len(id):], id)
	return string(runes)
}

// ownTokens issues tokens and puts them in the place of those that the exchange revokes or uses up.
func (c *checker) ownTokens(ctx context.Context, s *substitution, p *plan) error {
	if len(p.tokens) > 0 {
		return nil
	}
	for form, places := range map[string][2]string{
		"grant_type=password&username=avery&password=demo": {"demo-token-2", "demo-refresh"},
		"grant_type=client_credentials":                    {"demo-token", ""},
	} {
		request := s.request(clientRequest(http.MethodPost, tokenPath, "application/x-www-form-urlencoded"))
		request.Body = s.in(form, escapeQuery)
		got, err := c.send(ctx, request)
		if err != nil {
			return err
		}
		access, refresh := issued(got)
		p.tokens = append(p.tokens, access)
		defer func() { // once both are there: s must issue neither with the other
			s.values[places[0]] = access
			if places[1] != "" {
				s.values[places[1]] = refresh
			}
		}()
	}
	return nil
}

// clientRequest returns a request of the client of the golden exchanges.
func clientRequest(method, path, media string) fixtures.Request {
	return fixtures.Request{Method: method, Path: path, Headers: map[string]string{
		"Authorization": "Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=", "institutionId": "02688", "transactionId": "own", "Content-Type": media}}
}

// issued returns the tokens of an answer; empty where it has none.
func issued(got answer) (access, refresh string) {
	var body struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	_ = json.Unmarshal(got.body, &body)
	return body.Access, body.Refresh
}

// notePreferences asks how the statements of accounts are delivered.
func (c *checker) notePreferences(ctx context.Context, s *substitution, p *plan, hostUserID string, accounts []string) error {
	for _, account := range accounts {
		got, err := c.send(ctx, s.request(fixtures.Request{
			Method:  http.MethodGet,
			Path:    "/digitalbanking/ux-users/v1/e-statements/" + account + "/disclosures?hostUserId=" + hostUserID,
			Headers: map[string]string{"Authorization": "Bearer demo-token", "correlationid": "own"},
		}))
		if err != nil {
			return err
		}
		var body struct {
			Disclosures []struct {
				PaperWaiver *bool `json:"paperWaiver"`
			} `json:"institutionUserDisclosures"`
		}
		if json.Unmarshal(got.body, &body) != nil || len(body.Disclosures) == 0 || body.Disclosures[0].PaperWaiver == nil {
			p.left = append(p.left, "the preference of account "+account+", which could not be asked for before it was changed")
			continue
		}
		p.preferences = append(p.preferences, preference{hostUserID, account, *body.Disclosures[0].PaperWaiver})
	}
	return nil
}

// note notes what an answer says that a request has made.
func (p *plan) note(r fixtures.Request, got answer) {
	if got.status >= 300 || r.Method != http.MethodPost {
		return
	}
	switch path, _, _ := strings.Cut(r.Path, "?"); path {
	case tokenPath:
		if access, _ := issued(got); access != "" {
			p.tokens = append(p.tokens, access)
		}
	case groupsPath:
		p.left = append(p.left, fmt.Sprintf("a group named %q", members(r)["groupName"]))
	case alertsPath:
		p.left = append(p.left, "an alert preference")
	}
}

// undo undoes what it can, and returns what is left behind.
func (p *plan) undo(ctx context.Context, c *checker) []string {
	for _, token := range p.tokens {
		r := p.substitution.request(clientRequest(http.MethodDelete, revokePath, "application/json"))
		r.JSON, _ = json.Marshal(map[string]string{"token": token})
		p.try(ctx, c, r, "a token")
	}
	for _, was := range p.preferences {
		r := fixtures.Request{Method: http.MethodPut, Path: preferencePath, Headers: map[string]string{
			"Authorization": "Bearer demo-token", "correlationid": "own", "Content-Type": "application/json"}}
		r.JSON = jsontext.Value(fmt.Sprintf(`{"activateEstatement":%t,"accountId":%q}`, was.electronic, was.account))
		what := "the preference of account " + was.account
		if was.account == "" {
			r.Path, r.JSON = preferencesPath, jsontext.Value(fmt.Sprintf(`{"activateEstatement":%t}`, was.electronic))
			what = "the preferences of user " + was.hostUserID
		}
		r.Path += "?hostUserId=" + was.hostUserID
		p.try(ctx, c, p.substitution.request(r), what)
	}
	return p.left
}

func (p *plan) try(ctx context.Context, c *checker, r fixtures.Request, what string) {
	got, err := c.send(ctx, r)
	switch {
	case err != nil:
		p.left = append(p.left, fmt.Sprintf("%s: %v", what, err))
	case got.status >= 300:
		p.left = append(p.left, fmt.Sprintf("%s: the service answered %d", what, got.status))
	}
}
