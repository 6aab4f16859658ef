package main

import (
	"fmt"
	"slices"
	"strings"
)

// python writes classes of dictionaries (PEP 589).
type python struct{}

func (python) file() string { return "python/banksim_testkit/types.py" }

func (python) roots() []string { return append(answers, inputs...) }

func (python) scalar(kind, _ string) string {
	switch kind {
	case "integer":
		return "int"
	case "number":
		return "float"
	case "string":
		return "str"
	case "boolean":
		return "bool"
	case "null":
		return "None"
	}
	return "Any"
}

func (python) list(of string) string { return "Sequence[" + of + "]" }

func (python) byName(of string) string { return "Mapping[str, " + of + "]" }

func (python) either(of []string) string { return "Union[" + strings.Join(of, ", ") + "]" }

func (python) words(of []string) string { return `Literal["` + strings.Join(of, `", "`) + `"]` }

// pythonKeywords can't name a member of a class.
var pythonKeywords = strings.Fields("and as assert async await break class continue def del elif else except " +
	"finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

func (python) declare(name, about string, members []member) string {
	var b strings.Builder
	isClass := !slices.ContainsFunc(members, func(m member) bool { return slices.Contains(pythonKeywords, m.name) })
	if isClass {
		fmt.Fprintf(&b, "class %s(TypedDict):\n", name)
		if about != "" {
			fmt.Fprintf(&b, "    \"\"\"%s\"\"\"\n\n", about)
		}
	} else {
		fmt.Fprintf(&b, "%s = TypedDict(%q, {\n", name, name)
	}
	for _, m := range members {
		if m.isNullable {
			m.of = "Optional[" + m.of + "]"
		}
		if m.isOptional {
			m.of = "NotRequired[" + m.of + "]"
		}
		if m.about != "" {
			fmt.Fprintf(&b, "    # %s\n", m.about)
		}
		if isClass {
			fmt.Fprintf(&b, "    %s: %s\n", m.name, m.of)
		} else {
			fmt.Fprintf(&b, "    %q: %q,\n", m.name, strings.ReplaceAll(m.of, `"`, `'`)) // a text, because it may come later
		}
	}
	if !isClass {
		b.WriteString("})\n")
	}
	b.WriteString("\n\n")
	return b.String()
}

func (python) alias(name, about, of string) string {
	if about != "" {
		about = "# " + about + "\n"
	}
	return fmt.Sprintf("%s%s = %s\n\n\n", about, name, of)
}

func (python) whole(declarations string) string {
	return `"""The types of the control API, with the names of its members.

Generated from its OpenAPI document by go generate ./testkit. Don't edit it.
"""

# ruff: noqa: E501

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Sequence, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:  # type checkers have this module, and at run time nobody reads the annotations
    from typing_extensions import NotRequired


` + strings.TrimRight(declarations, "\n") + "\n"
}
