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
		words = append(words, "-X", quoted(r.method))
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
	value := h.value.shell()
	if value == "" || value == "''" {
		return quoted(h.name + ";") // an empty header
	}
	return append(text{{plain: h.name + ": "}}, h.value...).shell()
}

func (r *request) data() string {
	if r.noBody != "" {
		return `"@${BODY:?set it to a file with the body: ` + r.noBody + `}"`
	}
	return r.body.shell()
}

// shell returns the text as a word of a shell.
func (t text) shell() string {
	var word strings.Builder
	for _, p := range t {
		if p.secret != nil {
			word.WriteString(`"${` + p.secret.variable + `:?set it to ` + p.secret.about + `, which the journal has as ` + p.secret.fingerprint + `}"`)
		} else if p.plain != "" {
			word.WriteString(quoted(p.plain))
		}
	}
	return word.String()
}

// quoted returns a text in single quotes, in which a shell reads every other character as itself.
func quoted(plain string) string { return "'" + strings.ReplaceAll(plain, "'", `'\''`) + "'" }
