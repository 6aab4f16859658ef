package container

import "time"

// SetPingTimeout replaces the time that an engine has for its first answers, and returns the documented one.
func SetPingTimeout(d time.Duration) time.Duration {
	documented := pingTimeout
	pingTimeout = d
	return documented
}
