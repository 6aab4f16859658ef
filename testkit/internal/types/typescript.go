package main

import (
	"fmt"
	"strings"
)

// typescript writes interfaces.
type typescript struct{}

func (typescript) file() string { return "node/types.d.cts" }

func (typescript) roots() []string { return append(answers, inputs...) }

func (typescript) scalar(kind, _ string) string {
	switch kind {
	case "integer", "number":
		return "number"
	case "string", "boolean", "null":
		return kind
	}
	return "unknown"
}

func (typescript) list(of string) string {
	if strings.Contains(of, "|") {
		of = "(" + of + ")"
	}
	return of + "[]"
}

func (typescript) byName(of string) string { return "Record<string, " + of + ">" }

func (typescript) either(of []string) string { return strings.Join(of, " | ") }

func (typescript) words(of []string) string { return `"` + strings.Join(of, `" | "`) + `"` }

func (typescript) declare(name, about string, members []member) string {
	var b strings.Builder
	comment(&b, "", about)
	fmt.Fprintf(&b, "export interface %s {\n", name)
	for _, m := range members {
		comment(&b, "  ", m.about)
		optional, null := "", ""
		if m.isOptional {
			optional = "?"
		}
		if m.isNullable {
			null = " | null"
		}
		fmt.Fprintf(&b, "  %s%s: %s%s;\n", m.name, optional, m.of, null)
	}
	b.WriteString("}\n\n")
	return b.String()
}

func (typescript) alias(name, about, of string) string {
	var b strings.Builder
	comment(&b, "", about)
	fmt.Fprintf(&b, "export type %s = %s;\n\n", name, of)
	return b.String()
}

func comment(b *strings.Builder, indent, about string) {
	if about != "" {
		fmt.Fprintf(b, "%s/** %s */\n", indent, about)
	}
}

func (typescript) whole(declarations string) string {
	return "// Generated from the OpenAPI document of the control API by go generate ./testkit. Don't edit it.\n\n" +
		strings.TrimSuffix(declarations, "\n")
}
