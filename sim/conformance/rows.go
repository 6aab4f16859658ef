package conformance

import (
	"encoding/json"
	"maps"

	"github.com/digitalbanking-sim/banksim/fixtures"
)

// row is something that an exchange or a journey has created at both sides.
type row struct {
	kind              *kind
	simulated, served fixtures.IDs
	write             fixtures.Request // the last one that set its values
	deleted           bool
}

// rowAfter returns what a request has created or changed, or nil if that may have been there before.
func (r *replay) rowAfter(a asked) *row {
	k := a.sent.kind
	if k == nil {
		return nil
	}
	about := &row{k, maps.Clone(a.simulated), maps.Clone(r.ids), a.Request, a.sent.removes()}
	if a.sent.creates() {
		about.simulated.Learn(a.Answer.JSON)
		about.served.Learn(a.got.body)
	}
	if !r.hasCreated(about.served[k.idMember]) {
		return nil
	}
	return about
}

// compareRows compares how a whole list shows the rows of a replay: each that isn't deleted, with its values. What
// is on a page depends on the bank.
func (x comparison) compareRows(wanted, body []byte, all *mismatches) {
	want, got := newListing(wanted), newListing(body)
	if !got.isWhole {
		return
	}
	for _, about := range x.rows {
		expected, listed := want.find(about.kind.idMember, about.simulated), got.find(about.kind.idMember, about.served)
		id := about.kind.idMember + " " + about.served[about.kind.idMember]
		switch {
		case about.deleted && listed != nil:
			all.add(mismatch{"." + got.name, about.kind.gone, "nothing that was deleted", id})
		case expected != nil && listed == nil:
			all.add(mismatch{"." + got.name, nil, id, "none"})
		case expected != nil && listed != nil:
			member, _ := x.object.Member(got.name)
			ofRow := x
			ofRow.echoes = newEchoes(fixtures.Exchange{Request: about.write}, x.sub, about.simulated, about.served)
			at := place{comparison: &ofRow, found: all, path: "." + got.name, object: member.Type.Object}
			at.compare(expected, listed)
		}
	}
}

// listing is a list of groups or alert preferences, or a page of it.
type listing struct {
	name     string // of the member that has the elements
	elements []json.RawMessage
	isWhole  bool
}

func newListing(body []byte) listing {
	var list struct {
		Content, AlertPreferences []json.RawMessage
		Page                      *struct{ Number, TotalPages int }
	}
	_ = json.Unmarshal(body, &list) // no list: it has no elements
	if list.Page != nil {
		return listing{"content", list.Content, list.Page.Number == 0 && list.Page.TotalPages <= 1}
	}
	const pageSize = 100 // the published default of the parameter pageSize of alerts.listPreferences
	return listing{"alertPreferences", list.AlertPreferences, len(list.AlertPreferences) < pageSize}
}

// find returns the element with the id of a row. It returns nil if the list has no such element.
func (l listing) find(member string, wanted fixtures.IDs) (element any) {
	for _, text := range l.elements {
		ids := fixtures.IDs{}
		if ids.Learn(text); ids[member] == wanted[member] && decode(text, &element) == nil {
			return element
		}
	}
	return nil
}
