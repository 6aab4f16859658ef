package scenario

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// alertPreferences writes the alert preferences of a user, or those of no user.
func (s *saver) alertPreferences(indent int, institutionID, hostUserID string) {
	first := true
	for p := range s.World.AlertPreferences(institutionID, hostUserID) {
		if first {
			s.line(indent, "alertPreferences:")
		}
		first = false
		s.alertPreference(indent+1, p)
	}
}

func (s *saver) alertPreference(indent int, p *sim.AlertPreference) {
	given, err := s.From.World.AlertPreference(p.InstitutionID, p.HostUserID, p.AlertPrefID)
	isGiven := err == nil && reflect.DeepEqual(given, p)
	details := members{{"alertPrefId", p.AlertPrefID}}
	if d := p.Details; d != nil {
		details = details.text("alertTypeName", d.AlertTypeName).text("channelTypeName", d.ChannelTypeName).text("externalId", d.ExternalID).
			text("institutionCustomerId", d.InstitutionCustomerID).text("institutionId", d.InstitutionID)
	}
	m := members{}.flag("alertOpted", p.AlertOpted)
	m = append(m, member{"alertPreferenceDetails", details})
	if a := p.Account; a != nil {
		account := members{}.text("accountExternalId", a.AccountExternalID).text("accountId", a.AccountID)
		if isGiven {
			account = account.text("cardNumber", a.CardNumber)
		} else if a.CardNumber != nil {
			s.line(indent, "# the cardNumber of %d came with a request: not kept", p.AlertPrefID)
		}
		m = append(m, member{"alertPreferenceAccountDetails", account})
	}
	m = m.flag("allowCallback", p.AllowCallback).flag("defaultPreferences", p.DefaultPreferences)
	if p.AdditionalInfo != nil {
		info := json.RawMessage(*p.AdditionalInfo)
		if !isGiven {
			if info = redact.HideValues(*p.AdditionalInfo); !bytes.Equal(info, []byte(*p.AdditionalInfo)) {
				s.line(indent, "# the values of additionalInfo of %d came with a request: fingerprints", p.AlertPrefID)
			}
		}
		m = append(m, member{"additionalInfo", decodeJSON(info)})
	}
	s.line(indent, "- %s", flow(m))
}

// decodeJSON decodes JSON as [flow] writes it.
func decodeJSON(text []byte) any {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return members{}
	}
	return value
}
