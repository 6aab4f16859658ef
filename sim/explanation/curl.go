package explanation

import (
	"net/http"
	"strings"
)

// curl returns a command that sends the request again. It is for any shell that POSIX describes, and for zsh, into which it
// may be pasted: so it has no comments, and what it lacks it asks for as a shell does, by ${VARIABLE:?what to set}.
func (r *request) curl() string {
	words := []string{"curl", "-i"}
	if strings.ContainsAny(r.path, "[]{}") {
		words = append(words, "--globoff")
	}
	if strings.Contains(r.path, "/.") {
		words = append(words, "--path-as-is")
	}
	switch r.method {
	case http.MethodGet:
		if r.hasBody {
			words = append(words, "-X", "GET")
		}
	case http.MethodHead:
		words = append(words, "--head")
	default:
		words = append(words, "-X", r.method)
	}
	words = append(words, quoted(r.baseURL+r.path))
	named := false
	for _, h := range r.headers {
		named = named || strings.EqualFold(h.name, "Content-Type")
		words = append(words, "-H", h.argument())
	}
	if r.hasBody {
		if !named {
			words = append(words, "-H", "'Content-Type:'") // curl would say that it is a form
		}
		words = append(words, "--data-binary", r.data())
	}
	return strings.Join(words, " ")
}

// argument returns the header as curl takes it.
func (h header) argument() string {
	if len(h.value.joined()) == 0 {
		return quoted(h.name + ";") // an empty header
	}
	return append(text{{plain: h.name + ": "}}, h.value...).shell()
}

// data returns what curl sends as the body.
func (r *request) data() string {
	if r.noBody != "" {
		return `"@${BODY:?set it to a file with the body: ` + r.noBody + `}"`
	}
	return r.body.shell()
}

// shell returns the text as a word of a shell.
func (t text) shell() string {
	if t.simple() {
		return `"` + t.expand(func(plain string) string { return plain }) + `"`
	}
	return t.expand(quoted, `"`)
}

// expand returns the text with its secrets as variables that must be set, each between quotes, if some are given.
func (t text) expand(plain func(string) string, quotes ...string) string {
	quote := strings.Join(quotes, "")
	var word strings.Builder
	for _, p := range t.joined() {
		if p.secret == nil {
			word.WriteString(plain(p.plain))
			continue
		}
		word.WriteString(quote + "${" + p.secret.variable + ":?set it to " + p.secret.about +
			", which the journal has as " + p.secret.fingerprint + "}" + quote)
	}
	return word.String()
}

// simple reports whether the text has secrets, and can stand between double quotes as it is.
func (t text) simple() bool {
	secrets := false
	for _, p := range t {
		secrets = secrets || p.secret != nil
		if strings.ContainsAny(p.plain, "\"\\$`!\n\r") {
			return false
		}
	}
	return secrets
}

// joined returns the text with as few parts as there can be: at least one, unless it is empty.
func (t text) joined() text {
	var all text
	for _, p := range t {
		if last := len(all) - 1; last >= 0 && p.secret == nil && all[last].secret == nil {
			all[last].plain += p.plain
		} else if p.secret != nil || p.plain != "" {
			all = append(all, p)
		}
	}
	return all
}

// quoted returns a text in single quotes, in which a shell reads every other character as itself.
func quoted(plain string) string { return "'" + strings.ReplaceAll(plain, "'", `'\''`) + "'" }
