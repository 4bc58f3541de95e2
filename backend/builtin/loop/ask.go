package loop

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"weft/backend/llm"
)

// The first delay and the number of retries of a request.
const (
	firstWait = time.Second
	retries   = 5
)

// Error is the error of a run that couldn't continue.
type Error struct {
	Err        error // usually *[llm.Error]
	WasRetried bool
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same prompt may succeed later.
func (e *Error) Retryable() bool { return llm.Retryable(e.Err) }

// ask sends the conversation to the model. It retries transient failures, and shortens a conversation that is too long.
// The response holds what was received even if there is an error.
func (t *run) ask() (llm.Response, error) {
	if t.nearlyFull() {
		if err := t.shorten(); err != nil && t.ctx.Err() != nil {
			return llm.Response{}, err // otherwise the request itself reports the problem
		}
	}
	shortened := false
	for attempt := 1; ; attempt++ {
		began := false
		res, err := t.Model.Stream(t.ctx, t.request(t.view.Messages()), func(d llm.Delta) {
			began = true
			t.Host.Delta(d)
		})
		t.out.Usage = t.out.Usage.Add(res.Usage)
		if n := res.Usage.Input + res.Usage.Output; n > 0 {
			t.view.used = n
		}
		if err == nil || t.ctx.Err() != nil {
			return res, err
		}
		var e *llm.Error
		isOurs := errors.As(err, &e)
		switch {
		case began:
			return res, &Error{Err: err, WasRetried: attempt > 1}
		case isOurs && e.Code == llm.CodeContext && !shortened:
			shortened = true
			if serr := t.shorten(); serr != nil {
				return res, &Error{Err: err}
			}
			attempt--
			continue
		case !isOurs || !e.Retryable || attempt > retries:
			return res, &Error{Err: err, WasRetried: attempt > 1}
		}
		wait := backoff(attempt, e.After)
		t.Host.Waiting(err, attempt, wait)
		if err := sleep(t.ctx, wait); err != nil {
			return res, err
		}
	}
}

func (t *run) request(messages []llm.Message) llm.Request {
	return llm.Request{
		Model: t.Name, System: t.System, Messages: messages, Tools: t.Tools, Output: t.Output,
		MaxTokens: t.MaxTokens, Effort: t.Effort, Log: t.Log,
	}
}

// backoff returns the delay before the next attempt: what the provider asks for, or else 1, 2, 4 … seconds with a
// jitter of 25 %.
func backoff(attempt int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	wait := firstWait << (attempt - 1)
	return wait*3/4 + rand.N(wait/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
