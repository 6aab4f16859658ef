package sim

import (
	"cmp"
	"iter"
	"slices"
)

// Institution is a financial institution (interface section 2.1, institutionId).
type Institution struct {
	InstitutionID    string         // digits
	Multistatement   bool           // whether multistatement is configured (section 3, rule 1)
	AlertTypes       []AlertType    // that it knows; empty: any (choice)
	AlertPreferences []AlertDefault // the preferences of users without any of their own
	Disclosures      []CustomDisclosure
}

// CustomDisclosure is a disclosure of an institution besides those that the interface knows (published).
type CustomDisclosure struct {
	ID       string // institutionDisclosureId: 32 hexadecimal digits in upper case
	Name     string // institutionDisclosureName, at most 20 characters
	Data     string // institutionDisclosureData; empty: none
	DataType string // of [DisclosureDataTypes]; empty: none
}

// DisclosureDataTypes are the values of institutionDisclosureDataType (published).
var DisclosureDataTypes = []string{"UNKNOWN", "URL", "CONFIG", "RAW"}

// custom returns a disclosure of the institution by its id or, if that is empty, by its name.
func (i *Institution) custom(id, name string) (CustomDisclosure, bool) {
	at := slices.IndexFunc(i.Disclosures, func(d CustomDisclosure) bool { return d.ID == id || id == "" && d.Name == name })
	if at < 0 {
		return CustomDisclosure{}, false
	}
	return i.Disclosures[at], true
}

// Row names the row.
func (i *Institution) Row() string { return "institutions/" + i.InstitutionID }

// Client is an application registered with an institution: the shared and the secret key of section 5. One
// shared key may be registered with several institutions.
type Client struct {
	InstitutionID string
	SharedKey     string
	SecretKey     string
	Codes         *CodePolicy // nil: it doesn't have the grant authorization_code
}

// Row names the row.
func (c *Client) Row() string { return "clients/" + c.InstitutionID + "/" + c.SharedKey }

func (c *Client) before(other *Client) bool {
	return cmp.Or(cmp.Compare(c.SharedKey, other.SharedKey), cmp.Compare(c.InstitutionID, other.InstitutionID)) < 0
}

// AddInstitution adds an institution. The first one is where a request that names no institution belongs.
func (w *World) AddInstitution(i Institution) error {
	if w.institutions.has(&i) {
		return Refuse(InstitutionUnknown, "institution %q is there already", i.InstitutionID)
	}
	if w.institutions.len() == 0 {
		w.home = i.InstitutionID
	}
	i.AlertTypes = withIDs(i.AlertTypes, func(t *AlertType) *int64 { return &t.ID })
	i.AlertPreferences = withIDs(i.AlertPreferences, func(d *AlertDefault) *int64 { return &d.ID })
	for n, d := range i.Disclosures {
		if d.ID == "" { // it stays while the name does
			i.Disclosures[n].ID = UserDisclosure{Disclosure: Disclosure{Name: d.Name}}.ID(&i)
		}
	}
	w.institutions.put(&i)
	return nil
}

// Institution returns the institution with this id.
func (w *World) Institution(institutionID string) (*Institution, bool) {
	return w.institutions.get(&Institution{InstitutionID: institutionID})
}

// ConfigureMultistatement says whether multistatement is configured for an institution.
func (w *World) ConfigureMultistatement(institutionID string, configured bool) error {
	i, ok := w.Institution(institutionID)
	if !ok {
		return Refuse(InstitutionUnknown, "there is no institution %q", institutionID)
	}
	changed := *i
	changed.Multistatement = configured
	w.institutions.put(&changed)
	return nil
}

// Institutions yields all institutions, by id.
func (w *World) Institutions() iter.Seq[*Institution] { return w.institutions.all() }

// AddClient registers a client with an institution.
func (w *World) AddClient(c Client) error {
	if w.clients.has(&c) {
		return Refuse(ClientUnknown, "client %q of institution %s is there already", c.SharedKey, c.InstitutionID)
	}
	w.clients.put(&c)
	return nil
}

// Clients yields the clients of an institution, by shared key.
func (w *World) Clients(institutionID string) iter.Seq[*Client] {
	return func(yield func(*Client) bool) {
		for c := range w.clients.all() {
			if c.InstitutionID == institutionID && !yield(c) {
				return
			}
		}
	}
}

// AuthenticateClient checks a client's keys, whichever institution it is registered with.
func (w *World) AuthenticateClient(sharedKey, secretKey string) error {
	low, high := &Client{SharedKey: sharedKey}, &Client{SharedKey: after(sharedKey)}
	refusal := Refuse(ClientUnknown, "no client is registered with these keys")
	for c := range w.clients.between(low, high) {
		if c.SecretKey == secretKey {
			return nil
		}
		refusal = refuseOn(c, ClientUnknown, "no client is registered with these keys")
	}
	return refusal
}

// AuthorizeClient checks that a client with these keys is registered with the institution. It does not distinguish an
// institution that isn't there from one that the client is not registered with.
func (w *World) AuthorizeClient(institutionID, sharedKey, secretKey string) error {
	c, ok := w.clients.get(&Client{InstitutionID: institutionID, SharedKey: sharedKey})
	if !ok || c.SecretKey != secretKey {
		return Refuse(ClientNotOfInstitution, "the client is not registered with institution %s", institutionID)
	}
	return nil
}
