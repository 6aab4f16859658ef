package api

import (
	"fmt"
	"strings"
)

// Problem is a problem document (RFC 9457): why the control API refused a call.
type Problem struct {
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail"`
	Problems []Defect `json:"problems,omitempty"`
}

// Error returns the detail and, a line each, the problems.
func (p *Problem) Error() string {
	var text strings.Builder
	text.WriteString(p.Detail)
	for _, d := range p.Problems {
		text.WriteString("\n\t" + d.String())
	}
	return text.String()
}

// Defect is one of the errors of an input, with its position if it has one.
type Defect struct {
	File    string `json:"file,omitzero"`
	Line    int    `json:"line,omitzero"`   // from 1
	Column  int    `json:"column,omitzero"` // from 1, in characters
	Message string `json:"message"`
}

// String returns the defect as compilers write theirs: retail.yaml:12:5: message.
func (d Defect) String() string {
	if d.Line == 0 {
		return d.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
}
