package sim

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// participantHeader is the first line of a file of participants (published).
const participantHeader = "ParticipantId"

// maxJobErrors is how many errors of its rows a job has (choice). Further errors are only counted.
const maxJobErrors = 10_000

// JobError is an error of a row in a file of participants.
type JobError struct {
	Line    int    `json:"line,omitzero"` // of the file, from 1
	Message string `json:"message,omitzero"`
}

// The messages of errors. They never quote the row, because it can be anything.
const (
	wrongHeader  = "the first line must be " + participantHeader + " and nothing else: no row was read"
	wrongColumns = "a row must have one column, " + participantHeader
	missingID    = participantHeader + " is missing"
	longID       = participantHeader + " has more than 32 characters"
	wrongID      = participantHeader + " must be of printable ASCII characters without spaces"
	repeatedID   = participantHeader + " is in the file more than once"
	partlyFailed = "some records failed: the errors of the job say which, and why"
	failedAll    = "the job failed: its errors say why"
)

func (j *Job) fail(line int, message string) {
	j.Failed++
	if len(j.Errors) < maxJobErrors {
		j.Errors = append(j.Errors, JobError{line, message})
	}
}

// readParticipants sets the result of the job for a file of participants, and returns the ids of the good rows,
// sorted. The file has a header line, and a line for each id. Lines end with LF or CR LF, and the last line may have
// no end. It reads the rows twice, because a set of all ids would take more memory.
func (j *Job) readParticipants(file string) []string {
	file = strings.TrimSuffix(strings.TrimPrefix(file, "\ufeff"), "\n")
	header, rows, hasRows := strings.Cut(file, "\n")
	if unquotedCell(header) != participantHeader {
		j.Status, j.Details, j.Errors = JobStatusFailed, failedAll, []JobError{{1, wrongHeader}}
		return nil
	}
	if !hasRows {
		j.Status = JobStatusSuccessful
		return nil
	}
	ids, repeated := readIDs(rows)
	line := 1
	for row := range strings.SplitSeq(rows, "\n") {
		line++
		j.Total++
		id := unquotedCell(row)
		wrong := wrongRow(row, id)
		if later, is := repeated[id]; wrong == "" && is {
			if later {
				wrong = repeatedID
			}
			repeated[id] = true
		}
		if wrong != "" {
			j.fail(line, wrong)
		}
	}
	j.Succeeded = j.Total - j.Failed
	for i, id := range ids {
		ids[i] = strings.Clone(id) // so that it doesn't keep the file in memory
	}
	switch {
	case j.Failed == 0:
		j.Status = JobStatusSuccessful
	case len(ids) > 0:
		j.Status, j.Details = JobStatusPartialSuccess, partlyFailed
	default:
		j.Status, j.Details = JobStatusFailed, failedAll
	}
	return append([]string(nil), ids...) // a slice without room for more ids
}

// readIDs returns the ids of the good rows, sorted and each once. The keys of repeated are the ids of several rows,
// and its values are false.
func readIDs(rows string) (ids []string, repeated map[string]bool) {
	// An id and the end of its line take at least two bytes.
	ids = make([]string, 0, min(strings.Count(rows, "\n"), len(rows)/2)+1)
	for row := range strings.SplitSeq(rows, "\n") {
		if id := unquotedCell(row); wrongRow(row, id) == "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	repeated = map[string]bool{}
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			repeated[ids[i]] = false
		}
	}
	return slices.Compact(ids), repeated
}

// wrongRow returns the error of a row by itself, or "" if the row is good.
func wrongRow(row, id string) string {
	switch {
	case strings.Contains(row, ","):
		return wrongColumns
	case id == "":
		return missingID
	case utf8.RuneCountInString(id) > MaxParticipantID:
		return longID
	case !isParticipantID(id):
		return wrongID
	}
	return ""
}

// unquotedCell returns the content of the only cell of a line, without quotes and white space around it.
func unquotedCell(line string) string {
	cell := strings.TrimSpace(line)
	if len(cell) > 1 && cell[0] == '"' && cell[len(cell)-1] == '"' {
		cell = strings.TrimSpace(cell[1 : len(cell)-1])
	}
	return cell
}

// isParticipantID reports whether a text of at most 32 characters can be the id of a participant. An id has printable
// ASCII characters, but no spaces, commas and quotes.
func isParticipantID(id string) bool {
	return id != "" && !strings.ContainsFunc(id,
		func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == ',' })
}
