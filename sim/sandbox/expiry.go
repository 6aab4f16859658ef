package sandbox

import (
	"context"
	"errors"
	"time"
)

// ErrDefaultStays is the error of a time to live for the default sandbox.
var ErrDefaultStays = errors.New("the default sandbox can't expire")

// The pauses before an expired sandbox is deleted again, after a failure (choice): each is twice as long as the one
// before.
const (
	firstExpiryRetry = time.Second
	lastExpiryRetry  = time.Minute
)

// errRenewed is the error of an expiry that has been put off.
var errRenewed = errors.New("the sandbox was renewed")

// Renew lets the sandbox live for a time from now on, instead of the time that it had left. It fails with
// ErrDefaultStays, ErrDeleted, ErrNotStored and ErrUnsure.
func (s *Sandbox) Renew(ctx context.Context, ttl time.Duration) error {
	if s.name == Default {
		return ErrDefaultStays
	}
	return s.Change(ctx, func(tx *Tx) error {
		tx.expires, tx.tied = time.Now().Add(ttl), false
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
		s.expiry = time.AfterFunc(time.Until(next.expires), func() { s.expire(firstExpiryRetry) })
	}
}

// expire deletes the sandbox unless it was renewed, and tries again after a pause if that fails.
func (s *Sandbox) expire(pause time.Duration) {
	ctx := s.registry.ctx
	select {
	case <-s.registry.opened: // else its forks may not be loaded, and would stay
	case <-ctx.Done():
		return
	}
	err := s.deleteExpired(ctx)
	if errors.Is(err, errRenewed) { // if the clock was set back, the state has no other timer
		s.mu.Lock()
		defer s.mu.Unlock()
		s.scheduleExpiry(new(state), s.state.Load())
		return
	}
	if err == nil || errors.Is(err, ErrNoSandbox) || ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.state.Load().deleted {
		s.expiry = time.AfterFunc(pause, func() { s.expire(min(2*pause, lastExpiryRetry)) })
	}
}

// deleteExpired deletes the sandbox. It fails with errRenewed if the sandbox has more time.
func (s *Sandbox) deleteExpired(ctx context.Context) error {
	if s.registry.store == nil {
		if !s.closeIf((*state).isExpired) {
			return errRenewed
		}
		s.registry.takeOut(s)
		s.registry.deleteForks(ctx, s)
		return nil
	}
	deleteLatest := func(latest View) (Draft, error) { // no call of this process comes between
		if !latest.state.isExpired() {
			return nil, errRenewed
		}
		return nil, s.registry.Delete(ctx, s)
	}
	_, err := s.enqueue(ctx, &call{view: deleteLatest, isRefresh: s.registry.IsShared(), isAlone: true})
	if errors.Is(err, ErrDeleted) { // by another process
		s.registry.forget(s)
		return nil
	}
	return err
}

func (st *state) isExpired() bool { return !st.expires.IsZero() && !time.Now().Before(st.expires) }
