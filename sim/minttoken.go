package sim

import "time"

// MintToken issues an access token from outside the bank, and a refresh token if refresh is true. The token is for a
// client. It is bound to a user if hostUserID is not empty. MintToken refuses with InstitutionUnknown, ClientUnknown
// or UserUnknown.
func (w *World) MintToken(
	p *Policy, institutionID, sharedKey, hostUserID string, now time.Time, lifetime time.Duration, refresh bool,
) (*Grant, error) {
	if _, ok := w.Institution(institutionID); !ok {
		return nil, Refuse(InstitutionUnknown, "there is no institution %q", institutionID)
	}
	if !tablesOf(w).clients.has(&Client{InstitutionID: institutionID, SharedKey: sharedKey}) {
		return nil, Refuse(ClientUnknown, "institution %s has no client %q", institutionID, sharedKey)
	}
	g := &Grant{InstitutionID: institutionID, SharedKey: sharedKey, HostUserID: hostUserID,
		GrantType: GrantClientCredentials}
	if hostUserID != "" {
		if _, err := w.findUser(institutionID, hostUserID); err != nil {
			return nil, err
		}
		g.GrantType = GrantPassword
	}
	if refresh {
		g.RefreshToken = w.drawToken(refreshTokenLength)
	}
	return w.issueTo(g, now, lifetime, p.Tokens.RefreshLifetime), nil
}
