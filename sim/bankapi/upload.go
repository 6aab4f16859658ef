package bankapi

import (
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// maxFileName is how many bytes the filename of an upload may have (choice).
const maxFileName = 255

// importStarted is the answer of an upload.
type importStarted struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	JobID     string `json:"jobId"`
	JobStatus string `json:"jobStatus"`
}

// uploadParticipants starts a job that imports a file into a group (published).
func uploadParticipants(c *call, caller sim.Caller, institutionID string) (answer, error) {
	up, err := c.readUpload()
	if err != nil {
		return answer{}, err
	}
	j, err := c.World.UploadParticipants(c.policy, caller, institutionID, c.pathVar("groupId"), up.Upload, c.Now)
	if err != nil {
		return answer{}, err
	}
	message := fmt.Sprintf(
		"the import of %s into the group with groupId %s is started: job %s", j.FileName, j.GroupID, j.JobID)
	return c.answer(importStarted{c.documented.Code(), message, j.JobID, j.At(c.Now).Status}, up), nil
}

// upload is the body of an upload.
type upload struct {
	sim.Upload
	hasUnknownPart bool
}

var uploadEvidence = []condition{
	{contract.GroupsUploadUnknownPart, when(func(u upload) bool { return u.hasUnknownPart })},
	{contract.GroupsUploadTypeCase, when(func(u upload) bool { return u.Type != strings.ToUpper(u.Type) })},
}

// readUpload reads the body of an upload of participants: the part type and the file fileName, once each.
func (c *call) readUpload() (upload, error) {
	if encoding := c.header("Content-Encoding"); encoding != "" {
		if err := c.requireMedia(c.media); err != nil {
			return upload{}, sim.Refuse(contract.NotMultipart, "%s", err)
		}
	}
	parts, isMultipart, err := strictjson.Parts(c.content.data, c.header("Content-Type"))
	switch {
	case !isMultipart:
		return upload{}, sim.Refuse(contract.NotMultipart,
			"header Content-Type must be multipart/form-data or multipart/mixed%s", notMedia(c.header("Content-Type")))
	case c.content.err != nil:
		return upload{}, c.content.err
	case err != nil:
		return upload{}, sim.Refuse(contract.PartsMalformed, "%s", err)
	}
	var up upload
	for name := range parts {
		up.hasUnknownPart = up.hasUnknownPart || !c.op.Request.Has(name)
	}
	if up.hasUnknownPart {
		c.lint("unknown-part", "the operation has no part of a name that was given")
	}
	kind, hasType := parts["type"]
	file, hasFile := parts["fileName"]
	switch {
	case !hasType:
		return upload{}, sim.Refuse(contract.PartMissing, "part type is missing")
	case !hasFile:
		return upload{}, sim.Refuse(contract.PartMissing, "part fileName is missing")
	case !file.IsFile || file.FileName == "":
		return upload{}, sim.Refuse(contract.PartsMalformed, "part fileName has no filename: it must be a file")
	case len(file.FileName) > maxFileName:
		return upload{}, sim.Refuse(contract.PartsMalformed,
			"the filename of part fileName is longer than %d bytes", maxFileName)
	}
	up.Upload = sim.Upload{
		Type:     strings.TrimSpace(string(kind.Content)),
		FileName: file.FileName,
		File:     string(file.Content),
	}
	return up, c.checkFileType(file.ContentType)
}

func (c *call) checkFileType(contentType string) error {
	member, _ := c.op.Request.Member("fileName")
	known := strings.Join(member.Type.FileTypes, " or ")
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || !slices.Contains(member.Type.FileTypes, media) {
		return c.refuseUnlessWaived(contract.FileTypeUnknown, "the Content-Type of part fileName must be %s%s",
			known, notMedia(contentType))
	}
	return nil
}
