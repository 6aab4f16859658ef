package controlapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// Access says who may call the control API.
type Access struct {
	// Token is the bearer token that may make all calls (RFC 6750), or empty.
	Token string
	// Named has tokens with fewer rights, or is nil. Without any token, everybody may make all calls.
	Named *TokenFile

	// Local reports whether the listener is on loopback. Calls must then name this machine as their host: localhost, a
	// loopback address, or Host.
	Local bool
	Host  string // the host that the listener was told to listen on
}

// publicPaths are the paths that need no token. Probes don't send a token, and a CA's certificate is public.
var publicPaths = map[string]bool{healthPath: true, readyPath: true, caPath: true}

// keySetPath matches the paths of key sets. They need no token, because apps check id_tokens by these public keys.
var keySetPath = lazy.Regexp(`^/v1/sandboxes/[a-z0-9-]+/keys$`)

func isForKeySet(r *http.Request) bool {
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isRead && keySetPath().MatchString(r.URL.EscapedPath())
}

func (c control) isForConsole(r *http.Request) bool {
	path := r.URL.Path
	return c.Console != nil &&
		(path == "/" || path == strings.TrimSuffix(consolePath, "/") || strings.HasPrefix(path, consolePath))
}

// needsToken reports whether a request is let in only with the token. The console needs no token: a browser can't
// send one before it has the page, and the page holds nothing of the bank.
func (c control) needsToken(r *http.Request) bool {
	return !publicPaths[r.URL.Path] && !c.isForConsole(r) && !isForKeySet(r)
}

// isForeign reports whether a page of another origin makes a call. Such a page may show the console, by a link to it,
// and read key sets.
func (c control) isForeign(r *http.Request, origins *http.CrossOriginProtection) bool {
	isLink := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	if isForKeySet(r) || isLink && c.isForConsole(r) {
		return false
	}
	checked := *r
	checked.Method = http.MethodPost // Check lets each GET pass, but one can use up memory, or time
	return origins.Check(&checked) != nil
}

// guard refuses calls that Access does not allow, before the next handler sees them.
func (c control) guard(next http.Handler) http.Handler {
	// A page in a browser must not reach the control API of a simulator on the same machine.
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		may, refused := c.rightsOf(r, origins)
		if refused != nil {
			if refused.Status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="banksim control API"`) // RFC 6750 3
			}
			writeProblem(w, refused)
			return
		}
		*r = *r.WithContext(context.WithValue(r.Context(), rightsKey{}, may)) // observe reads what the mux sets in it
		next.ServeHTTP(w, r)
	})
}

// rightsKey is the key of the caller's rights in the context of a call.
type rightsKey struct{}

// rightsIn returns the rights of the caller of a call.
func rightsIn(ctx context.Context) rights {
	may, _ := ctx.Value(rightsKey{}).(rights)
	return may
}

// rightsOf returns what the caller of a call may do, or why the call is not let in.
func (c control) rightsOf(r *http.Request, origins *http.CrossOriginProtection) (may rights, refused *refusal) {
	// Nor may a page whose name was made to point at this machine (DNS rebinding). The browser takes it for the same
	// origin, but the requests still carry the name. Only a probe by HTTP/1.0 comes without a name. No browser sends
	// such a call.
	isProbe := r.Host == "" && (r.URL.Path == healthPath || r.URL.Path == readyPath)
	if c.Access.Local && !isProbe && !c.Access.names(r.Host) {
		return may, refuse(http.StatusMisdirectedRequest, "this listener is on loopback and doesn't answer for "+
			"the host %s: ask for localhost or 127.0.0.1, in a proxy by its Host header", wording.Quote(r.Host))
	}
	if c.isForeign(r, origins) {
		return may, refuse(http.StatusForbidden, "a page of another origin may not call the control API: "+
			"call it from a program, or from a page of its own")
	}
	may, isKnown := c.Access.find(r)
	switch {
	case !c.needsToken(r):
		everybody := allRights // a token takes nothing away from them
		everybody.name, everybody.isKnown = may.name, isKnown
		may = everybody
	case !isKnown:
		return may, refuse(http.StatusUnauthorized, "the control API needs its token, as Authorization: Bearer TOKEN: "+
			"the one that the simulator was given as --control-token, or that it logged when it started, or one of "+
			"--control-tokens")
	}
	if redirectedPath().MatchString(r.URL.EscapedPath()) {
		return may, c.noPath(r)
	}
	return may, nil
}

// redirectedPath are the paths that http.ServeMux redirects to others.
var redirectedPath = lazy.Regexp(`//|/\.\.?(/|$)`)

// names reports whether a Host header names this machine. Its port doesn't matter: it may have been forwarded.
func (a Access) names(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return strings.EqualFold(host, "localhost") || host != "" && strings.EqualFold(host, a.Host)
}

// isGuarded reports whether calls need a token.
func (a Access) isGuarded() bool { return a.Token != "" || a.Named != nil }

// find returns the rights of a caller by the token of a request. The time that this takes doesn't depend on the token.
func (a Access) find(r *http.Request) (may rights, ok bool) {
	if !a.isGuarded() {
		return allRights, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return rights{}, false
	}
	token = strings.TrimLeft(token, " ")
	if a.Named != nil {
		may, ok = a.Named.find(token)
	}
	given, wanted := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(a.Token))
	if subtle.ConstantTimeCompare(given[:], wanted[:]) == 1 && a.Token != "" {
		return allRights, true
	}
	return may, ok
}
