package sandbox

import (
	"context"
	"errors"
	"time"
)

// ErrDefaultStays is the error of a time to live for the default sandbox.
var ErrDefaultStays = errors.New("the default sandbox can't expire")

// expiryRetry is how long after a failure an expired sandbox is deleted again (choice).
const expiryRetry = time.Second

// Renew lets the sandbox live for a time from now on, instead of the time that it had left. It fails with
// ErrDefaultStays, ErrDeleted, ErrNotStored and ErrUnsure.
func (s *Sandbox) Renew(ctx context.Context, ttl time.Duration) error {
	if s.name == Default {
		return ErrDefaultStays
	}
	return s.Change(ctx, func(tx *Tx) error {
		tx.expires = time.Now().Add(ttl)
		return nil
	})
}

// scheduleExpiry deletes the sandbox when its next state expires. The caller holds mu, unless the sandbox is new.
func (s *Sandbox) scheduleExpiry(old, next *state) {
	if old != nil && old.expires.Equal(next.expires) && !next.deleted {
		return
	}
	if s.expiry != nil {
		s.expiry.Stop()
		s.expiry = nil
	}
	if !next.expires.IsZero() && !next.deleted {
		s.expiry = time.AfterFunc(time.Until(next.expires), s.expire)
	}
}

// expire deletes the sandbox unless another process has renewed it, and tries again until that succeeds.
func (s *Sandbox) expire() {
	ctx := s.registry.ctx
	latest, err := s.Latest(ctx)
	if err == nil && time.Now().Before(latest.state.expires) {
		return // its state has another timer
	}
	if err == nil || errors.Is(err, ErrDeleted) {
		err = s.registry.Delete(ctx, s)
	}
	if err == nil || errors.Is(err, ErrNoSandbox) || ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.state.Load().deleted {
		s.expiry = time.AfterFunc(expiryRetry, s.expire)
	}
}
