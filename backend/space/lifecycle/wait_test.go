package lifecycle

import (
	"context"
	"errors"
	"testing"
)

func TestSessionBlocksUntilItIsOpen(t *testing.T) {
	p := newPlain()
	go func() { p.opened(<-p.opens, nil) }()
	if s, err := p.Session(t.Context()); s != 1 || err != nil {
		t.Errorf("session %d, %v", s, err)
	}
}

func TestSessionIsGivenUpWhenItsContextEnds(t *testing.T) {
	p := newPlain()
	why := errors.New("the window is closed")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-p.opens
		cancel(why)
	}()
	if _, err := p.Session(ctx); !errors.Is(err, why) {
		t.Errorf("it ends with %v", err)
	}
	if len(p.closes) != 1 {
		t.Error("its opening continues")
	}
}

func TestSessionIsOpenedAndClosedOnlyOutsideOfTurns(t *testing.T) {
	p := newPlain()
	p.running = true
	if err := p.Machine.Open(t.Context(), ToLoad, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("opening ends with %v", err)
	}
	if err := p.Machine.Close(); !errors.Is(err, ErrBusy) {
		t.Errorf("closing ends with %v", err)
	}
}

func TestOpenIsCalledOffWhenItsContextEnds(t *testing.T) {
	p := newPlain()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		s := <-p.opens
		cancel()
		<-p.closes
		p.opened(s, context.Canceled)
		p.gone(s)
	}()
	if err := p.Machine.Open(ctx, ToLoad, nil); err == nil {
		t.Error("an opening that is called off succeeds")
	}
}

func TestCloseBlocksUntilTheSessionIsGone(t *testing.T) {
	p := newPlain()
	if err := p.Machine.Close(); err != nil {
		t.Errorf("without a session: %v", err)
	}
	p.needs(false, &got{})
	p.opened(1, nil)
	gone := false
	go func() {
		s := <-p.closes
		p.Step(func() { gone = true })
		p.gone(s)
	}()
	if err := p.Machine.Close(); err != nil || !gone {
		t.Errorf("it ends with %v, gone %v", err, gone)
	}
}
