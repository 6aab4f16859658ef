package scenario

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// wholeLinter collects the warnings that depend on the whole scenario. It warns of what is written in the author's files.
type wholeLinter struct {
	*linter
	root     *yaml.Node
	behavior sim.Behavior
	start    time.Time // the clock's
	running  bool
}

// warn adds a warning at the first of some places that is in a file of the author's. There may be none.
func (w *wholeLinter) warn(code, format string, args []any, places ...place) {
	for _, at := range places {
		if from := w.report.originOf(at.node); !from.builtIn {
			w.add(code, from.file, at.node, format, args...)
			return
		}
	}
}

func (w *wholeLinter) lint(d document) {
	at := place{w.root}
	for n, i := range d.Institutions {
		w.institution(at.key("institutions").item(n), i)
	}
	w.corsAlone(at.key("behavior"))
	if len(d.Faults) > 0 {
		w.faults(at.key("faults"), ruleList(d.Faults))
	}
}

func (w *wholeLinter) institution(at place, i institution) {
	users := len(i.Users)
	if i.Generate != nil {
		users += i.Generate.Users
	}
	if len(i.Clients) == 0 && users > 0 {
		w.warn(noTokenCode, "no token can reach the users of this institution, as it has no client that could get one: add clients, such as {sharedKey: demo-app, secretKey: demo-secret}",
			nil, at.key("institutionId"))
	}
	for n, u := range i.Users {
		w.user(at.key("users").item(n), i, u)
	}
	if len(i.TransactionIDs) > 0 && w.behavior.Groups.TransactionIDReuse != sim.TransactionIDReuseReject {
		w.warn(noEffectCode, "transactionIds have no effect, as they may be used again: set behavior.%s: %s, or remove them",
			[]any{contract.GroupsTransactionIDReuse.Switch.Key, sim.TransactionIDReuseReject}, at.key("transactionIds"))
	}
	if i.Generate != nil && i.Generate.Users == 0 {
		for _, key := range []string{"password", "inactiveUsers", "accountsPerUser", "electronicStatements", "disclosures"} {
			if given := valueOf(at.key("generate").node, key); given != nil {
				w.warn(noEffectCode, "%s has no effect, as no users are generated: add users: 1000, for example, or remove it", []any{key}, place{given})
			}
		}
	}
}

func (w *wholeLinter) user(at place, i institution, u user) {
	reached := len(i.Tokens) == 0 || len(i.Clients) == 0 // then tokens are requested, or the institution was warned of
	for _, t := range i.Tokens {
		reached = reached || t.HostUserID == "" || t.HostUserID == u.HostUserID
	}
	if !reached && (u.Username == "" || u.Password == "") {
		w.warn(noTokenCode, "no token of the scenario reaches user %s, who can't log in either: add a token with this hostUserId, or with none for all users, or add username and password",
			[]any{phrase.Quote(u.HostUserID)}, at.key("hostUserId"))
	}
	if (u.Username == "") != (u.Password == "") {
		given, missing := "username", "password"
		if u.Username == "" {
			given, missing = missing, given
		}
		w.warn(halfLoginCode, "user %s has a %s and no %s, and so can't log in: add %s, or remove %s",
			[]any{phrase.Quote(u.HostUserID), given, missing, missing, given}, at.key(given), at.key("hostUserId"))
	}
	accounts := make([]string, len(u.Accounts))
	known := map[string]bool{}
	for n, a := range u.Accounts {
		accounts[n], known[a.AccountID] = a.AccountID, true
		if here := at.key("accounts").item(n); a.UpdateFails && w.behavior.Dialect == sim.DialectDocument && w.behavior.Estatements.PartialUpdate != sim.PartialUpdateAllow {
			w.warn(noEffectCode, "updateFails has no effect in the dialect %s without partial updates: set behavior.%s: %s, or remove it",
				[]any{sim.DialectDocument, contract.EstatementsUpdateUserPartial.Switch.Key, sim.PartialUpdateAllow}, here.key("updateFails"))
		}
	}
	for n, p := range u.AlertPreferences {
		if p.Account == nil || p.Account.AccountID == nil || known[*p.Account.AccountID] || len(accounts) == 0 {
			continue
		}
		id := *p.Account.AccountID
		w.warn(unknownAccountCode, "user %s has no account %s%s",
			[]any{phrase.Quote(u.HostUserID), phrase.Quote(id), phrase.DidYouMean(id, accounts, "there are")},
			at.key("alertPreferences").item(n).key("alertPreferenceAccountDetails").key("accountId"))
	}
}

// corsAlone warns of switches about pages of other origins where no origin is allowed.
func (w *wholeLinter) corsAlone(behavior place) {
	if len(w.behavior.CORS.Origins) > 0 {
		return
	}
	block := valueOf(behavior.node, "cors")
	for i := 0; isKind(block, yaml.MappingNode) && i < len(block.Content); i += 2 {
		if key := block.Content[i]; key.Value != "origins" {
			w.warn(noEffectCode, "%s has no effect, as no page of another origin may read the answers: add origins, or remove it", []any{key.Value}, place{key})
		}
	}
}
