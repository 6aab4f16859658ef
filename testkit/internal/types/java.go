package main

import (
	"fmt"
	"strings"
)

// java writes records within one class.
type java struct{}

func (java) file() string { return "java/src/main/java/io/github/digitalbankingsim/Api.java" }

// roots leaves out what the methods of the kit take: it has builders for that.
func (java) roots() []string { return answers }

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

func (java) declare(name, about string, members []member) string {
	var doc, parts strings.Builder
	for i, m := range members {
		text := strings.TrimSuffix(m.about, ".")
		if (m.isOptional || m.isNullable) && m.of != "boolean" { // false, if it isn't there
			m.of = boxed(m.of)
			text = strings.TrimPrefix(text+"; null: not there", "; ")
		}
		if text != "" {
			fmt.Fprintf(&doc, "     * @param %s %s\n", m.name, text)
		}
		if i > 0 {
			parts.WriteString(",")
		}
		fmt.Fprintf(&parts, "\n            %s %s", m.of, m.name)
	}
	comment := ""
	if about != "" {
		comment = "     * " + about + "\n"
	}
	if about != "" && doc.Len() > 0 {
		comment += "     *\n"
	}
	if comment += doc.String(); comment != "" {
		comment = "    /**\n" + comment + "     */\n"
	}
	return fmt.Sprintf("\n%s    public record %s(%s) {}\n", comment, name, parts.String())
}

// alias writes nothing: Java has none, and no answer leads to one.
func (java) alias(name, _, _ string) string { panic(name + " is no object") }

func (java) whole(declarations string) string {
	return `package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

// Generated from the OpenAPI document of the control API by go generate ./testkit. Don't edit it.

/** What the control API answers with, with the names of its members. */
public final class Api {
    private Api() {}
` + declarations + "}\n"
}
