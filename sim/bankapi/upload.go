package bankapi

import (
	"mime"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// maxFileName is how many bytes the filename of an upload may have (choice).
const maxFileName = 255

// upload reads the body of an upload of participants: the parts type and fileName, which is a file, once each.
func (x *exchange) upload() (sim.Upload, error) {
	parts, isMultipart, err := wire.Parts(x.content.data, x.request.Header.Get("Content-Type"))
	switch {
	case !isMultipart:
		return sim.Upload{}, sim.Refuse(contract.NotMultipart, "header Content-Type must be multipart/form-data or multipart/mixed")
	case x.content.err != nil:
		return sim.Upload{}, x.content.err
	case err != nil:
		return sim.Upload{}, sim.Refuse(contract.PartsMalformed, "%s", err)
	}
	kind, hasType := parts["type"]
	file, hasFile := parts["fileName"]
	for name := range parts {
		if _, known := x.op.Request.Member(name); !known {
			x.lint("unknown-part", "the operation has no part of a name that was given")
			x.restsOn(contract.GroupsUploadUnknownPart)
			break
		}
	}
	switch {
	case !hasType:
		return sim.Upload{}, sim.Refuse(contract.PartMissing, "part type is missing")
	case !hasFile:
		return sim.Upload{}, sim.Refuse(contract.PartMissing, "part fileName is missing")
	case !file.IsFile || file.FileName == "":
		return sim.Upload{}, sim.Refuse(contract.PartsMalformed, "part fileName has no filename: it must be a file")
	case len(file.FileName) > maxFileName:
		return sim.Upload{}, sim.Refuse(contract.PartsMalformed, "the filename of part fileName is longer than %d bytes", maxFileName)
	}
	if err := x.checkFileType(file.ContentType); err != nil {
		return sim.Upload{}, err
	}
	u := sim.Upload{Type: strings.TrimSpace(string(kind.Content)), FileName: file.FileName, File: string(file.Content)}
	if upper := strings.ToUpper(u.Type); upper != u.Type && slices.Contains(sim.JobTypes, upper) {
		x.restsOn(contract.GroupsUploadTypeCase)
	}
	return u, nil
}

func (x *exchange) checkFileType(contentType string) error {
	member, _ := x.op.Request.Member("fileName")
	known := strings.Join(member.Type.FileTypes, " or ")
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return sim.Refuse(contract.FileTypeUnknown, "the Content-Type of part fileName must be %s", known)
	case !slices.Contains(member.Type.FileTypes, media):
		return sim.Refuse(contract.FileTypeUnknown, "the Content-Type of part fileName must be %s, not %s",
			known, phrase.Shorten(media))
	}
	return nil
}
