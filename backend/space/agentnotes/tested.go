package agentnotes

import (
	"context"

	"github.com/go-json-experiment/json"
)

// Tested is how the last test of an agent ended.
type Tested struct {
	At      int64  `json:"at"` // unix ms
	OK      bool   `json:"ok"`
	Name    string `json:"name"` // what the agent said that it is
	Version string `json:"version"`
	Failure string `json:"failure"` // why it failed; empty if it didn't
	Launch  string `json:"launch"`  // stands for what was started: an agent that is started otherwise since has another one
}

const testedKey = "tested:"

// NoteTest keeps how a test of an agent ended, in place of the one before, and reports that. It blocks until that is
// stored.
func (n *Notes) NoteTest(ctx context.Context, agentID string, t Tested) {
	value, err := json.Marshal(t, json.Deterministic(true))
	if err == nil {
		err = n.opt.Meta.Set(ctx, testedKey+agentID, string(value))
	}
	if err != nil {
		n.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("the result of a test could not be kept")
		return
	}
	n.opt.Changed()
}

// Tested returns how the last test of an agent ended, nil if there was none.
func (n *Notes) Tested(ctx context.Context, agentID string) *Tested {
	value, ok, err := n.opt.Meta.Get(ctx, testedKey+agentID)
	if err == nil && (!ok || value == "") {
		return nil
	}
	t := &Tested{}
	if err == nil {
		err = json.Unmarshal([]byte(value), t)
	}
	if err != nil {
		n.opt.Log.Warn().Err(err).Str("agent", agentID).Msg("the result of a test could not be read")
		return nil
	}
	return t
}

// forgetTest forgets the test of an agent that is no longer there.
func (n *Notes) forgetTest(ctx context.Context, agentID string) error {
	value, ok, err := n.opt.Meta.Get(ctx, testedKey+agentID)
	if err != nil || !ok || value == "" {
		return err
	}
	return n.opt.Meta.Set(ctx, testedKey+agentID, "")
}
