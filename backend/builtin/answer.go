package builtin

import (
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/builtin/loop"
	"weft/backend/llm"
)

// Delta implements loop.Host. It sends every piece immediately.
func (t *turn) Delta(d llm.Delta) {
	switch d.Kind {
	case llm.DeltaText:
		if d.Text != "" {
			t.report.emitRaw(chunk("agent_message_chunk", d.Text))
		}
	case llm.DeltaThinking:
		if d.Text != "" {
			t.report.emitRaw(chunk("agent_thought_chunk", d.Text))
		}
	case llm.DeltaCallStart:
		t.calls.announce(d.Call, d.Name)
	case llm.DeltaCallInput:
		t.calls.grow(t.calls.numbered(d.Call), d.Text)
	}
}

// Asked implements loop.Host. It reports the usage and calls that came without deltas.
func (t *turn) Asked(r llm.Response) {
	t.calls.complete(r.Message.Calls())
	t.tellUsage(r)
}

func (t *turn) tellUsage(r llm.Response) {
	u := r.Usage
	if u.Input+u.Output == 0 {
		return
	}
	usd, known := llm.Cost(t.agent.set.provider.ID, t.opt.Model, u)
	total := t.session.spend(usd)
	update := &acp.SessionUsageUpdate{Used: int(u.Input + u.Output), Size: int(t.runner.Context)}
	if known || total > 0 {
		update.Cost = &acp.Cost{Amount: total, Currency: "USD"}
		t.report.record(record{Cost: total})
	}
	t.report.emit(acp.SessionUpdate{UsageUpdate: update})
}

func usageOf(u llm.Usage) *acp.Usage {
	if u == (llm.Usage{}) {
		return nil
	}
	return &acp.Usage{
		InputTokens: int(u.Input), OutputTokens: int(u.Output), TotalTokens: int(u.Input + u.Output),
		CachedReadTokens: acp.Ptr(int(u.CacheRead)), CachedWriteTokens: acp.Ptr(int(u.CacheWrite)), ThoughtTokens: acp.Ptr(int(u.Thinking)),
	}
}

// Waiting implements loop.Host.
func (t *turn) Waiting(err error, attempt int, wait time.Duration) {
	t.report.note(fault.Say("{{reason}} Trying again in {{time}} ({{n}}).", dotted(err), wait.Round(100*time.Millisecond), attempt))
}

// Shortened implements loop.Host.
func (t *turn) Shortened(s loop.Summary) error {
	if err := t.session.log.append(record{At: t.agent.now().UnixMilli(), Short: &s}); err != nil {
		return err
	}
	t.report.note(fault.Say("The conversation was getting too long for the model. From now on it receives a summary of {{size}} instead of the oldest {{n}} messages. Nothing was deleted.", fault.Size(int64(len(s.Text))), s.Dropped))
	return nil
}

// Keep implements loop.Host.
func (t *turn) Keep(m llm.Message) error {
	if m.Role == llm.RoleUser {
		t.calls.forget() // the previous message's calls have their results
	}
	return t.session.log.append(record{At: t.agent.now().UnixMilli(), Message: &m})
}
