package bankapi

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// alertPreferences is the answer to a list.
type alertPreferences struct {
	AlertPreferences []alertPreference `json:"alertPreferences"`
}

// alertPageSize is how many preferences a page has where the request doesn't say (published).
const alertPageSize = 100

// listAlertPreferences lists the preferences of a user.
func listAlertPreferences(c *call) (reply, error) {
	institutionID, hostUserID, err := c.alertScope()
	if err != nil {
		return reply{}, err
	}
	if err := c.noneRepeated(); err != nil {
		return reply{}, err
	}
	q := sim.AlertQuery{AccountExternalID: c.query.Get("accountExternalId"), AccountID: c.query.Get("accountId"), ExternalID: c.query.Get("externalId")}
	q.Types = c.alertTypes()
	if q.Page, err = c.exactNumber("pageNo", 0, 0); err != nil {
		return reply{}, err
	}
	if q.Size, err = c.exactNumber("pageSize", 1, alertPageSize); err != nil {
		return reply{}, err
	}
	if q.Size > contract.MaxAlertPage {
		q.Size = contract.MaxAlertPage
		c.restsOn(contract.AlertsListPageSize)
	}
	defaults, err := c.flag("default", false)
	if err != nil {
		return reply{}, err
	}
	list := c.World.ListAlertPreferences(institutionID, hostUserID, q)
	if defaults || !c.World.HasAlertPreferences(institutionID, hostUserID) {
		list = c.World.AlertDefaults(institutionID, q)
		c.restsOn(contract.AlertsListDefaults)
	}
	answer := alertPreferences{[]alertPreference{}}
	for _, p := range list {
		answer.AlertPreferences = append(answer.AlertPreferences, newAlertPreference(p))
	}
	if len(answer.AlertPreferences) == 0 {
		c.restsOn(contract.AlertsListNone)
	} else {
		c.restsOn(contract.AlertsListOrder)
	}
	return c.reply(answer), nil
}

// alertTypes returns the names of alert types that the query gives.
func (c *call) alertTypes() []string {
	types := c.query.Get("alertTypes")
	if types == "" {
		return nil
	}
	c.restsOn(contract.AlertsListTypes)
	return strings.Split(types, ",")
}

// noneRepeated refuses a request that gives a query parameter more than once.
func (c *call) noneRepeated() error {
	for _, p := range c.Parameters {
		if c.query.Count(p.Name) > 1 {
			return sim.Refuse(contract.ParameterRepeated, "query parameter %s is given more than once", p.Name)
		}
	}
	return nil
}

// getAlertPreference reads a preference.
func getAlertPreference(c *call) (reply, error) {
	institutionID, hostUserID, id, err := c.namedAlert()
	if err != nil {
		return reply{}, err
	}
	p, err := c.World.AlertPreference(institutionID, hostUserID, id)
	if err != nil {
		return reply{}, err
	}
	return c.reply(newAlertPreference(p)), nil
}

// updateAlertPreference replaces a preference.
func updateAlertPreference(c *call) (reply, error) {
	institutionID, hostUserID, id, err := c.namedAlert()
	if err != nil {
		return reply{}, err
	}
	callback, err := c.flag("allowCallback", true)
	if err != nil {
		return reply{}, err
	}
	var body alertPreference
	if err := c.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	c.citeAlert(body)
	var sentID int64
	if body.Details != nil && body.Details.AlertPrefID != nil {
		sentID = *body.Details.AlertPrefID
	}
	if body.AllowCallback == nil {
		body.AllowCallback = &callback
	}
	updated, err := c.World.UpdateAlertPreference(institutionID, hostUserID, id, sentID, body.content())
	if err != nil {
		return reply{}, err
	}
	c.lintContradiction(updated)
	return c.reply(newAlertPreference(updated)), nil
}

// deleteAlertPreference deletes a preference.
func deleteAlertPreference(c *call) (reply, error) {
	institutionID, hostUserID, id, err := c.namedAlert()
	if err != nil {
		return reply{}, err
	}
	return c.emptyReply(), c.World.DeleteAlertPreference(institutionID, hostUserID, id)
}

var number = regexp.MustCompile(`^\d+$`)

// namedAlert is alertScope, and returns the id in the path, too.
func (c *call) namedAlert() (institutionID, hostUserID string, id int64, err error) {
	if institutionID, hostUserID, err = c.alertScope(); err != nil {
		return "", "", 0, err
	}
	text := c.pathVar("alertPreferenceId")
	if id, err = strconv.ParseInt(text, 10, 64); err != nil || !number.MatchString(text) {
		return "", "", 0, sim.Refuse(sim.AlertPreferenceIDMalformed, "alertPreferenceId in the path must be a number")
	}
	return institutionID, hostUserID, id, nil
}

// exactNumber reads a query parameter that is a number of 32 bits from low on. Anything else is refused.
func (c *call) exactNumber(name string, low, fallback int) (int, error) {
	if !c.query.Has(name) {
		return fallback, nil
	}
	n, err := strconv.ParseInt(c.query.Get(name), 10, 32)
	if err != nil || int(n) < low || !number.MatchString(c.query.Get(name)) {
		return 0, sim.Refuse(contract.ParameterMalformed, "query parameter %s must be a number from %d on", name, low)
	}
	return int(n), nil
}

// flag reads a query parameter that is true or false. Anything else is refused.
func (c *call) flag(name string, fallback bool) (bool, error) {
	switch value, count := c.query.Get(name), c.query.Count(name); {
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
