package main

import (
	"fmt"
	"strings"
)

// java writes records within one class.
type java struct{}

func (java) file() string { return "java/src/main/java/io/github/digitalbankingsim/Api.java" }

// roots are what methods of the kit return. It has builders for what they take.
func (java) roots() []string {
	return []string{"Coverage", "Diff", "Exchange", "InstitutionRow", "MintedToken", "State", "Verdict"}
}

func (java) scalar(kind, format string) string {
	switch {
	case kind == "integer":
		return "long"
	case kind == "number":
		return "double"
	case format == "date-time":
		return "Instant"
	case kind == "string":
		return "String"
	case kind == "boolean":
		return "boolean"
	}
	return "JsonNode"
}

// boxed returns a type that can be an argument of a generic one.
func boxed(of string) string {
	switch of {
	case "int":
		return "Integer"
	case "long":
		return "Long"
	case "double":
		return "Double"
	case "boolean":
		return "Boolean"
	}
	return of
}

func (java) list(of string) string { return "List<" + boxed(of) + ">" }

func (java) byName(of string) string { return "Map<String, " + boxed(of) + ">" }

func (java) either([]string) string { return "JsonNode" }

func (java) words([]string) string { return "String" }

// javaInterfaces has, for some records, the interface of the kit with more methods.
var javaInterfaces = map[string]string{"Request": "Headers", "Response": "Headers", "State": "Rows"}

const javaWidth = 120

func (java) declare(name, about string, members []member) string {
	var doc, lists []string
	if about != "" {
		doc = append(doc, about, "")
	}
	components := make([]string, len(members))
	for i, m := range members {
		if m.of == "long" && !strings.HasSuffix(m.name, "Micros") && !strings.HasSuffix(m.name, "Id") {
			// a count, a size or a status
			m.of = "int"
		}
		if text := javaDoc(m); text != "" {
			doc = append(doc, "@param "+m.name+" "+text)
		}
		if canBeNull(m) {
			m.of = boxed(m.of)
		}
		if isList(m) && (m.isOptional || m.isNullable) {
			lists = append(lists, m.name)
		}
		components[i] = m.of + " " + m.name
	}
	end := ") "
	if of := javaInterfaces[name]; of != "" {
		end = ") implements " + of + " "
	}
	end += javaBody(name, lists)
	first, _, _ := strings.Cut(end, "\n")
	head, indent := "    public record "+name+"(", "\n            "
	if whole := head + strings.Join(components, ", "); len(whole+first) <= javaWidth {
		return "\n" + javaComment(doc) + whole + end
	}
	return "\n" + javaComment(doc) + head + indent + strings.Join(components, ","+indent) + end
}

// javaBody returns the body of a record. It makes a list empty if the answer has no such member.
func javaBody(name string, lists []string) string {
	if len(lists) == 0 {
		return "{}\n"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "{\n        public %s {\n", name)
	for _, list := range lists {
		fmt.Fprintf(&text, "            %s = Json.list(%[1]s);\n", list)
	}
	text.WriteString("        }\n    }\n")
	return text.String()
}

func isList(m member) bool { return strings.HasPrefix(m.of, "List<") }

// canBeNull reports whether a component is null if its member isn't there. A boolean is false then, and a list empty.
func canBeNull(m member) bool {
	return (m.isOptional || m.isNullable) && m.of != "boolean" && !isList(m)
}

// javaDoc returns what the doc comment says of a member.
func javaDoc(m member) string {
	text := strings.TrimSuffix(strings.Replace(m.about, "Not there: ", "null: ", 1), ".")
	switch {
	case !canBeNull(m) || strings.Contains(text, "null"):
		return text
	case text == "":
		return "null if there is none"
	}
	return text + "; null if there is none"
}

// javaComment returns the lines as a doc comment.
func javaComment(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	var text strings.Builder
	text.WriteString("    /**\n")
	for _, line := range lines {
		prefix := "     *"
		for _, word := range strings.Fields(line) {
			if len(prefix)+1+len(word) > javaWidth {
				fmt.Fprintln(&text, prefix)
				prefix = "     *    "
			}
			prefix += " " + word
		}
		fmt.Fprintln(&text, prefix)
	}
	text.WriteString("     */\n")
	return text.String()
}

// alias panics: Java has no names for other types, and no answer needs one.
func (java) alias(name, _, _ string) string { panic(name + " is no object") }

func (java) whole(declarations string) string {
	return `package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

// Generated from the OpenAPI document of the control API by go generate ./testkit. Don't edit it.

/**
 * What the control API answers with, under its names. If a member isn't there, a boolean is false, a list is
 * empty, and anything else is null.
 */
public final class Api {
    private Api() {}
` + declarations + "}\n"
}
