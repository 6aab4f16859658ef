package bankapi

import (
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// alertPageSize is how many preferences a page has where the request doesn't say (published).
const alertPageSize = 100

func listAlertPreferences(x *exchange, owner alertOwner) (reply, error) {
	if err := x.noneRepeated(); err != nil {
		return reply{}, err
	}
	q := sim.AlertQuery{
		AccountExternalID: x.query.Get("accountExternalId"), AccountID: x.query.Get("accountId"), ExternalID: x.query.Get("externalId"),
		Types: x.alertTypes(),
	}
	var err error
	if q.Page, err = x.exactNumber("pageNo", 0, 0); err != nil {
		return reply{}, err
	}
	if q.Size, err = x.exactNumber("pageSize", 1, alertPageSize); err != nil {
		return reply{}, err
	}
	if q.Size > contract.MaxAlertPage {
		q.Size = contract.MaxAlertPage
		x.restsOn(contract.AlertsListPageSize)
	}
	defaults, err := x.flag("default", false)
	if err != nil {
		return reply{}, err
	}
	list := x.at.World.ListAlertPreferences(owner.institutionID, owner.hostUserID, q)
	if defaults || !x.at.World.HasAlertPreferences(owner.institutionID, owner.hostUserID) {
		list = x.at.World.AlertDefaults(owner.institutionID, q)
		x.restsOn(contract.AlertsListDefaults)
	}
	all := make([]alertPreference, len(list))
	for i, p := range list {
		all[i] = newAlertPreference(p)
	}
	if len(all) == 0 {
		x.restsOn(contract.AlertsListNone)
	} else {
		x.restsOn(contract.AlertsListOrder)
	}
	return x.answerWith(map[string]any{"alertPreferences": all}), nil
}

func (x *exchange) alertTypes() []string {
	types := x.query.Get("alertTypes")
	if types == "" {
		return nil
	}
	x.restsOn(contract.AlertsListTypes)
	return strings.Split(types, ",")
}

func (x *exchange) noneRepeated() error {
	for _, p := range x.op.Parameters {
		if len(x.query[p.Name]) > 1 {
			return sim.Refuse(contract.ParameterRepeated, "query parameter %s is given more than once", p.Name)
		}
	}
	return nil
}

func getAlertPreference(x *exchange, named namedAlert) (reply, error) {
	p, err := x.at.World.AlertPreference(named.owner.institutionID, named.owner.hostUserID, named.id)
	if err != nil {
		return reply{}, err
	}
	return x.answerWith(newAlertPreference(p)), nil
}

// updateAlertPreference replaces a preference.
func updateAlertPreference(x *exchange, named namedAlert) (reply, error) {
	callback, err := x.flag("allowCallback", true)
	if err != nil {
		return reply{}, err
	}
	var body alertPreference
	if err := x.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	x.citeAlert(body)
	var sentID int64
	if body.Details != nil && body.Details.AlertPrefID != nil {
		sentID = *body.Details.AlertPrefID
	}
	if body.AllowCallback == nil {
		body.AllowCallback = &callback
	}
	updated, err := x.at.World.UpdateAlertPreference(
		x.behavior, named.owner.institutionID, named.owner.hostUserID, named.id, sentID, body.content())
	if err != nil {
		return reply{}, err
	}
	return x.storedAlert(updated), nil
}

func deleteAlertPreference(x *exchange, named namedAlert) (reply, error) {
	return x.emptyReply(), x.at.World.DeleteAlertPreference(named.owner.institutionID, named.owner.hostUserID, named.id)
}

// namedAlert is the preference that the path of a request names.
type namedAlert struct {
	owner alertOwner
	id    int64
}

// namedAlert reads what all operations on one preference share.
func (x *exchange) namedAlert() (named namedAlert, err error) {
	if named.owner, err = x.alertScope(); err != nil {
		return named, err
	}
	id, err := strconv.ParseUint(x.pathVar("alertPreferenceId"), 10, 63)
	if err != nil {
		return named, sim.Refuse(sim.AlertPreferenceIDMalformed, "alertPreferenceId in the path must be a number")
	}
	named.id = int64(id)
	return named, nil
}

// exactNumber reads a query parameter that is a number of 32 bits from low on. Anything else is refused.
func (x *exchange) exactNumber(name string, low, fallback int) (int, error) {
	if !x.query.Has(name) {
		return fallback, nil
	}
	n, err := strconv.ParseUint(x.query.Get(name), 10, 31)
	if err != nil || int(n) < low {
		return 0, sim.Refuse(contract.ParameterMalformed, "query parameter %s must be a number from %d on", name, low)
	}
	return int(n), nil
}

// flag reads a query parameter that is true or false. Anything else is refused.
func (x *exchange) flag(name string, fallback bool) (bool, error) {
	switch value, count := x.query.Get(name), len(x.query[name]); {
	case count == 0:
		return fallback, nil
	case count > 1:
		return false, sim.Refuse(contract.ParameterRepeated, "query parameter %s is given more than once", name)
	case value != "true" && value != "false":
		return false, sim.Refuse(contract.ParameterMalformed, "query parameter %s must be true or false", name)
	default:
		return value == "true", nil
	}
}
