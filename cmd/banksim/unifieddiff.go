package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// contextLines is how many lines a hunk has around what differs.
const contextLines = 3

// diffLine is a line of two texts (' '), or of the first ('-') or the second ('+') only.
type diffLine struct {
	kind byte
	text string
}

// unifiedDiff returns what differs between a text and its normal form, as a patch. These have the same lines but for white space
// and for empty lines that are left out: so no search is needed.
func unifiedDiff(file string, before, after []byte) []byte {
	lines := aligned(strings.SplitAfter(string(before), "\n"), strings.SplitAfter(string(after), "\n"))
	var out bytes.Buffer
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", file, file)
	first, second := 1, 1 // the line numbers of the next line
	for i := 0; i < len(lines); {
		start, end := hunk(lines, i)
		for ; i < start; i++ {
			first, second = first+1, second+1
		}
		if start == end {
			break
		}
		var body bytes.Buffer
		from, to := first, second
		for ; i < end; i++ {
			line := lines[i]
			if line.kind != '+' {
				first++
			}
			if line.kind != '-' {
				second++
			}
			fmt.Fprintf(&body, "%c%s", line.kind, line.text)
			if !strings.HasSuffix(line.text, "\n") {
				body.WriteString("\n\\ No newline at end of file\n")
			}
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n%s", lineRange(from, first-from), lineRange(to, second-to), body.Bytes())
	}
	return out.Bytes()
}

func lineRange(from, count int) string {
	if count == 0 {
		from--
	}
	return fmt.Sprintf("%d,%d", from, count)
}

// hunk returns the next lines from an index on that differ, with those around them. They are none at the end.
func hunk(lines []diffLine, from int) (start, end int) {
	start = from
	for start < len(lines) && lines[start].kind == ' ' {
		start++
	}
	if start == len(lines) {
		return start, start
	}
	last := start
	for i := start; i < len(lines) && i <= last+2*contextLines; i++ {
		if lines[i].kind != ' ' {
			last = i
		}
	}
	return max(start-contextLines, from), min(last+contextLines+1, len(lines))
}

// aligned pairs the lines of a text with those of its normal form. Of lines in a row that differ, those of the first come first.
func aligned(before, after []string) (lines []diffLine) {
	var added []diffLine
	flush := func() {
		lines, added = append(lines, added...), nil
	}
	at := 0
	for _, line := range before {
		switch {
		case line == "":
		case at < len(after) && line == after[at]:
			flush()
			lines = append(lines, diffLine{' ', line})
			at++
		case at < len(after) && after[at] != "" && withoutSpace(line) == withoutSpace(after[at]):
			lines, added = append(lines, diffLine{'-', line}), append(added, diffLine{'+', after[at]})
			at++
		default:
			lines = append(lines, diffLine{'-', line})
		}
	}
	for ; at < len(after) && after[at] != ""; at++ {
		added = append(added, diffLine{'+', after[at]})
	}
	flush()
	return lines
}

// withoutSpace returns a line without white space.
func withoutSpace(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\ufeff' {
			return -1
		}
		return r
	}, line)
}
