package sim

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Institution is a financial institution (interface section 2.1, institutionId).
type Institution struct {
	InstitutionID string `json:"institutionId,omitzero"` // digits
	// Multistatement says whether multistatement is configured (section 3, rule 1).
	Multistatement bool `json:"multistatement,omitzero"`
	// AlertTypes are the alert types that the institution knows. Without any, it knows each (choice).
	AlertTypes []AlertType `json:"alertTypes,omitzero"`
	// AlertPreferences are the preferences of users without any of their own.
	AlertPreferences []AlertDefault     `json:"alertPreferences,omitzero"`
	Disclosures      []CustomDisclosure `json:"disclosures,omitzero"`
}

// institutionTable has all institutions.
var institutionTable = &tableSpec[Institution]{
	name:   "institutions",
	in:     func(w *World) *table[Institution] { return &tablesOf(w).institutions },
	key:    func(i *Institution) rowKey { return rowKey{&i.InstitutionID} },
	before: func(a, b *Institution) bool { return a.InstitutionID < b.InstitutionID },
	weigh:  weigher[Institution](1),
}

// CustomDisclosure is a disclosure of an institution that the interface doesn't know (published).
type CustomDisclosure struct {
	// ID is the institutionDisclosureId: 32 hexadecimal digits in upper case.
	ID string `json:"id,omitzero"`
	// Name is the institutionDisclosureName, at most 20 characters.
	Name string `json:"name,omitzero"`
	// Data is the institutionDisclosureData, or empty.
	Data string `json:"data,omitzero"`
	// DataType is one of [DisclosureDataTypes], or empty.
	DataType string `json:"dataType,omitzero"`
}

// DisclosureDataTypes are the values of institutionDisclosureDataType (published).
var DisclosureDataTypes = []string{"UNKNOWN", "URL", "CONFIG", "RAW"}

// custom returns a disclosure of the institution by its id. If the id is empty, it returns a disclosure by its name.
func (i *Institution) custom(id, name string) (CustomDisclosure, bool) {
	at := slices.IndexFunc(i.Disclosures, func(d CustomDisclosure) bool {
		return d.ID == id || id == "" && d.Name == name
	})
	if at < 0 {
		return CustomDisclosure{}, false
	}
	return i.Disclosures[at], true
}

func (i *Institution) Row() string { return "institutions/" + i.InstitutionID }

// Client is an application that is registered with an institution, with the shared and the secret key of section 5.
// Several institutions may have a client with the same shared key.
type Client struct {
	InstitutionID string `json:"institutionId,omitzero"`
	SharedKey     string `json:"sharedKey,omitzero"`
	SecretKey     string `json:"secretKey,omitzero"`
	// Scopes are the scopes that its tokens may have. No list means all: here, in a [Grant] all of its client's, and
	// in a [Token] all of its grant's.
	Scopes []string `json:"scopes,omitzero"`
	// Codes is what the grant authorization_code is registered with, or nil if the client doesn't have this grant.
	Codes *CodePolicy `json:"codes,omitzero"`
}

// clientTable has the clients of all institutions.
var clientTable = &tableSpec[Client]{
	name:   "clients",
	in:     func(w *World) *table[Client] { return &tablesOf(w).clients },
	key:    func(c *Client) rowKey { return rowKey{&c.InstitutionID, &c.SharedKey} },
	before: (*Client).before,
	weigh:  weigher[Client](1),
}

func (c *Client) Row() string { return "clients/" + c.InstitutionID + "/" + c.SharedKey }

func (c *Client) before(other *Client) bool {
	return cmp.Or(cmp.Compare(c.SharedKey, other.SharedKey), cmp.Compare(c.InstitutionID, other.InstitutionID)) < 0
}

// AddInstitution adds an institution. A request that names no institution belongs to the first one.
func (w *World) AddInstitution(i Institution) error {
	if tablesOf(w).institutions.has(&i) {
		return fmt.Errorf("institution %q is there already", i.InstitutionID)
	}
	if tablesOf(w).institutions.len() == 0 {
		w.home = i.InstitutionID
	}
	i.AlertTypes = withIDs(i.AlertTypes, func(t *AlertType) *int64 { return &t.ID })
	i.AlertPreferences = withIDs(i.AlertPreferences, func(d *AlertDefault) *int64 { return &d.ID })
	i.Disclosures = slices.Clone(i.Disclosures)
	for n, d := range i.Disclosures {
		if d.ID == "" { // it only depends on the name
			i.Disclosures[n].ID = UserDisclosure{Disclosure: Disclosure{Name: d.Name}}.ID(&i)
		}
	}
	tablesOf(w).institutions.put(&i)
	return nil
}

// Institution returns the institution with this id.
func (w *World) Institution(institutionID string) (*Institution, bool) {
	return tablesOf(w).institutions.get(&Institution{InstitutionID: institutionID})
}

// ConfigureMultistatement configures multistatement for an institution, or takes it away.
func (w *World) ConfigureMultistatement(institutionID string, configured bool) error {
	i, ok := w.Institution(institutionID)
	if !ok {
		return Refuse(InstitutionUnknown, "there is no institution %q", institutionID)
	}
	changed := *i
	changed.Multistatement = configured
	tablesOf(w).institutions.put(&changed)
	return nil
}

// Institutions yields all institutions, by id.
func (w *World) Institutions() iter.Seq[*Institution] { return tablesOf(w).institutions.all() }

// AddClient registers a client with an institution.
func (w *World) AddClient(c Client) error {
	if tablesOf(w).clients.has(&c) {
		return fmt.Errorf("client %q of institution %s is there already", c.SharedKey, c.InstitutionID)
	}
	tablesOf(w).clients.put(&c)
	return nil
}

// Clients yields the clients of an institution, by shared key.
func (w *World) Clients(institutionID string) iter.Seq[*Client] {
	clients := &tablesOf(w).clients
	return func(yield func(*Client) bool) {
		for c := range clients.all() {
			if c.InstitutionID == institutionID && !yield(c) {
				return
			}
		}
	}
}

// client returns a client. One that isn't registered is allowed no scope.
func (w *World) client(institutionID, sharedKey string) *Client {
	key := &Client{InstitutionID: institutionID, SharedKey: sharedKey, Scopes: []string{}}
	if c, ok := tablesOf(w).clients.get(key); ok {
		return c
	}
	return key
}

// AuthenticateClient checks the keys of a client of any institution. It refuses with ClientUnknown.
func (w *World) AuthenticateClient(sharedKey, secretKey string) error {
	low, high := &Client{SharedKey: sharedKey}, &Client{SharedKey: after(sharedKey)}
	refusal := Refuse(ClientUnknown, "no client is registered with these keys")
	for c := range tablesOf(w).clients.between(low, high) {
		if c.SecretKey == secretKey {
			return nil
		}
		refusal = refuseOn(c, ClientUnknown, "no client is registered with these keys")
	}
	return refusal
}

// AuthorizeClient checks that a client with these keys is registered with the institution. It refuses an unknown
// institution with ClientNotOfInstitution, too.
func (w *World) AuthorizeClient(institutionID, sharedKey, secretKey string) error {
	c, ok := tablesOf(w).clients.get(&Client{InstitutionID: institutionID, SharedKey: sharedKey})
	if !ok || c.SecretKey != secretKey {
		return Refuse(ClientNotOfInstitution, "the client is not registered with institution %s", institutionID)
	}
	return nil
}
