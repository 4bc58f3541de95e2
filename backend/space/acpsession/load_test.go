package acpsession

import (
	"strings"
	"testing"

	"weft/backend/acp"
)

// replayOf has the agent send texts, separated by |, when it loads a session.
func (f *fake) replayOf(texts string) {
	f.does = func(call string) {
		if call == "load" {
			for text := range strings.SplitSeq(texts, "|") {
				f.session.Replay.Update()
				f.sends("kept", text)
			}
		}
	}
}

// said is what of the conversation is folded, without states.
func (f *fake) said() string {
	var list []string
	for _, text := range f.folded {
		if text != "state" {
			list = append(list, text)
		}
	}
	return strings.Join(list, "|")
}

func TestLoadFoldsWholeReplay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails  error
		can    bool
		silent bool
		broken string
		err    string
		did    string
	}{
		"loaded":                 {can: true, did: "load kept, store kept"},
		"not able to":            {err: "unsupported"},
		"refused":                {can: true, fails: errRefused, err: "refused", did: "load kept"},
		"without sign-in":        {can: true, fails: errAuth, err: "sign-in", did: "load kept"},
		"process has it already": {can: true, fails: acp.ErrSessionTaken, err: "exclusive for now", did: "load kept"},
		"sent nothing":           {can: true, silent: true, err: "not_found", did: "load kept"},
		"can't be stored":        {can: true, broken: "Add", err: errStore.Error(), did: "load kept"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.about.Capabilities.LoadSession, f.fails["load"], f.broken = c.can, []error{c.fails}, c.broken
			if !c.silent {
				f.replayOf("u:one|A|u:two|B")
			}
			err := f.session.Load(t.Context(), "kept")
			if kind(err) != c.err || f.did() != c.did {
				t.Errorf("error %q after %q, want %q after %q", kind(err), f.did(), c.err, c.did)
			}
			if want := map[bool]string{true: "one|A|two|B"}[c.can && !c.silent]; f.said() != want || f.replaying != c.can {
				t.Errorf("%q is folded, want %q; a replay is in progress: %v", f.said(), want, f.replaying)
			}
			if loaded := strings.Contains(c.did, "load") && c.fails == nil && !c.silent; f.options.Settled() != loaded || f.model != "a" {
				t.Errorf("settled: %v; the model is %s", f.options.Settled(), f.model) // it is as the agent has it: nothing is set back
			}
			if signIn := len(f.offers) > 0 && f.offers[len(f.offers)-1]; signIn != (c.err == "sign-in") {
				t.Errorf("the user is told %v", f.offers)
			}
		})
	}
}

func TestCatchUpFoldsOnlyNewPart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prompts []string
		fails   error
		turn    bool // is in progress
		ends    bool // before the replay comes
		broken  string
		said    string
		err     string
	}{
		"continued elsewhere":      {prompts: []string{"one"}, said: "two|B"},
		"nothing new":              {prompts: []string{"one", "two"}},
		"something else":           {prompts: []string{"three"}},
		"nothing to compare":       {},
		"turn in progress":         {prompts: []string{"one"}, turn: true},
		"turn that has ended":      {prompts: []string{"one"}, turn: true, ends: true},
		"prompts can't be read":    {prompts: []string{"one"}, broken: "Prompts", err: errStore.Error()},
		"refused after the replay": {prompts: []string{"one"}, fails: errRefused, said: "two|B", err: "refused"},
		"without sign-in":          {prompts: []string{"one"}, fails: errAuth, said: "two|B", err: "sign-in"},
		"process has it already":   {prompts: []string{"one"}, fails: acp.ErrSessionTaken, said: "two|B", err: "taken"},
	} {
		for _, way := range []string{"catch up", "open"} { // a session that can't be resumed is caught up with when it is opened
			t.Run(name+", "+way, func(t *testing.T) {
				f := newFake(t)
				f.about.Capabilities.LoadSession, f.fails["load"], f.broken = true, []error{c.fails}, c.broken
				f.prompts, f.turn, f.last = c.prompts, c.turn, here
				f.replayOf("u:one|A|u:two|B")
				replay := f.does
				f.does = func(call string) {
					f.turn = f.turn && (call != "load" || !c.ends)
					replay(call)
				}
				want := c.err
				var err error
				if way == "open" {
					err = f.session.Open(t.Context())
					want = map[string]string{"refused": "", "taken": "exclusive for now"}[c.err]
					if c.err != "refused" && c.err != "taken" {
						want = c.err
					}
				} else {
					err = f.session.CatchUp(t.Context(), "kept")
				}
				f.settled()
				if kind(err) != want || f.said() != c.said || f.replaying {
					t.Errorf("error %q and %q folded, want %q and %q; a replay is in progress: %v", kind(err), f.said(), want, c.said, f.replaying)
				}
				f.sends(f.session.ID(), "later") // is part of no replay
				if !strings.HasSuffix(f.said(), "later") {
					t.Errorf("what comes after the replay is lost: %q", f.said())
				}
			})
		}
	}
	f := newFake(t)
	if err := f.session.CatchUp(t.Context(), "kept"); kind(err) != "unsupported" || f.did() != "" {
		t.Errorf("%v after %q", err, f.did())
	}
}

func TestUpdatesBeforeSessionIsKnownAreFoldedOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.does = func(call string) {
		if call == "new" {
			f.sends("made", "early")
			f.sends("other", "for somebody else")
		}
	}
	if err := f.session.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.sends("other", "for somebody else")
	f.sends("made", "late")
	if f.said() != "early|late" {
		t.Errorf("%q is folded", f.said())
	}
	copied := newFake(t)
	copied.about.Capabilities.ForkSession, copied.fork = true, here
	copied.does = func(call string) {
		if call == "fork" {
			copied.sends("copy", "u:one")
			copied.sends("copy", "A")
		}
	}
	if err := copied.session.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if copied.said() != "" {
		t.Errorf("the branch has what is replayed of it twice: %q", copied.said())
	}
}
