package runs

import (
	"context"
	"os"
	"testing"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/conversation/transcript"
	"weft/backend/space/acpsession"
	"weft/backend/space/team"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// TestReplayEndsWithAPrompt has a prompt sent and stopped while the session of its agent is being loaded: what is replayed after that belongs before the
// prompt, so it isn't taken for new.
func TestReplayEndsWithAPrompt(t *testing.T) {
	ctx := t.Context()
	st, _, err := store.Open(ctx, t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close(context.Background()) }()
	folder := t.TempDir()
	sp, err := st.Spaces.Create(ctx, spaces.Space{Title: "x", Folder: folder, AgentID: "deaf"})
	if err != nil {
		t.Fatal(err)
	}
	m := NewManager(Options{
		Store: st, Private: agentproc.Private{DataDir: t.TempDir()},
		Agent: func(id string) (agent.Config, error) {
			return agent.Config{ID: id, Name: id, Command: os.Args[0], Args: []string{id}}, nil
		},
		Space: func(_ context.Context, id string) (team.Space, error) {
			return team.Space{ID: id, Folder: folder, Members: []team.Member{{ID: "main", Name: "Agent", AgentID: "deaf", Default: true}}}, nil
		},
		OnChange: func(string) {}, OnTitle: func(string, string) {}, OnTrouble: func(error) {},
	})
	defer func() { _ = m.Close(context.Background()) }()
	s, err := m.session(ctx, sp.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	opening, give := context.WithCancel(ctx)
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		_, _ = s.life.Session(opening) // its agent never says anything
	}()
	defer func() { give(); <-opened }()
	var l *liveSession
	for l == nil {
		s.Step(func() { l = s.life.Live() })
	}
	said := func(kind transcript.UpdateKind, text string) *transcript.Update {
		return &transcript.Update{Kind: kind, Text: text}
	}
	s.Step(func() {
		l.session.Discard()
		l.session.Expect(acpsession.NewReplayFilter([]string{"first"}))
		for _, u := range []*transcript.Update{said(transcript.UpdateUser, "first"), said(transcript.UpdateText, "yes")} {
			if l.session.IsNew(u) {
				t.Errorf("%q is new", u.Text)
			}
		}
	})
	if _, _, err := m.Prompts().Send(ctx, sp.ID, nil, "never mind"); err != nil {
		t.Fatal(err)
	}
	if err := m.Prompts().Stop(ctx, sp.ID, ""); err != nil {
		t.Fatal(err)
	}
	s.Step(func() {
		if s.run != nil {
			t.Error("the run isn't over")
		}
		if u := said(transcript.UpdateUser, "said elsewhere"); l.session.IsNew(u) {
			t.Errorf("%q is folded behind the prompt", u.Text)
		}
	})
}
