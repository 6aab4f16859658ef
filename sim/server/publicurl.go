package server

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/bankapi"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// CleanPublicURL returns a URL as Config.PublicURL takes it, without slashes at its end. It returns an error if clients
// can't append the paths of the interface to it. The error doesn't hold credentials.
func CleanPublicURL(text string) (string, error) {
	if text == "" {
		return "", errors.New("is empty: give a URL such as https://bank.example/staging, or leave it out")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", errors.New(
			"is not a URL such as https://bank.example/staging: give its scheme, http or https, and its host",
		)
	case u.User != nil:
		return "", errors.New(
			"has credentials: leave them out, since everybody who asks for a sandbox's base URL would see them",
		)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#"):
		return "", fmt.Errorf(
			"%s has a query or a fragment: leave it out, since paths are appended to the URL", wording.Quote(redact.URL(text)),
		)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// hostURLs returns a function that returns the base URLs of a sandbox whose hosts name it. The URLs have the scheme,
// port and path of base and of secure, which may be empty. The function is nil if there are no such hosts.
func (c Config) hostURLs(base, secure string) func(sandbox string) []string {
	if len(c.SandboxHosts) == 0 {
		return nil
	}
	return func(sandbox string) []string {
		var all []string
		for _, service := range []string{base, secure} {
			for _, pattern := range c.SandboxHosts {
				if url := bankapi.SandboxHostURL(pattern, sandbox, service); service != "" && url != "" {
					all = append(all, url)
				}
			}
		}
		return all
	}
}
