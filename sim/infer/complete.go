package infer

import (
	"context"
	"strings"
)

// complete adds what a scenario is warned of without: a password beside a login, and the accounts that alert
// preferences are about. It stays if the bank gives the same answers with it.
func (s search) complete(ctx context.Context, best attempt) attempt {
	for _, more := range [][]fact{best.missingPasswords(), best.missingAccounts()} {
		added := best.with(more)
		if len(added.list) == len(best.list) {
			continue
		}
		if next, ok := s.tryAsGood(ctx, added, best); ok {
			best = next
		}
	}
	return best
}

// missingPasswords returns made-up passwords of the users who have a login and none.
func (f facts) missingPasswords() (some []fact) {
	for _, one := range f.list {
		if user, ok := strings.CutSuffix(one.path, "/username"); ok {
			id := user[strings.LastIndex(user, "/")+1:]
			some = append(some, fact{user + "/password", "secret-of-" + id, one.from})
		}
	}
	return some
}

// missingAccounts returns the accounts that the alert preferences of users name.
func (f facts) missingAccounts() (some []fact) {
	for _, one := range f.list {
		user, _, ok := strings.Cut(one.path, "/alertPreferences/")
		id := text(one.value, "accountId")
		if ok && id != "" && strings.HasSuffix(one.path, "/alertPreferenceAccountDetails") {
			some = append(some, fact{path: at(user, "accounts", id), from: one.from})
		}
	}
	return some
}
