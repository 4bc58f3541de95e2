package loop

import (
	"slices"

	"weft/backend/llm"
)

// View is the conversation that the model gets: all messages except those of refused runs, and with a summary in place
// of the oldest ones after it became too long. It is not safe for concurrent use.
type View struct {
	messages []llm.Message
	began    int // index of the current run's first message, or -1 if that was summarized
	prompt   llm.Message
	used     int64 // tokens of the last request and its answer
}

// Add appends a stored message. Begin marks the next one as the first of a run; Forget removes all messages since then.
// Together with [View.Shorten], they rebuild a view from a log.
func (v *View) Add(m llm.Message) { v.add(m) }

// Begin marks the beginning of a run.
func (v *View) Begin() { v.begin() }

// Forget removes the last run.
func (v *View) Forget() { v.forget() }

// Messages returns the messages for the model. The caller must not change them.
func (v *View) Messages() []llm.Message { return slices.Clip(v.messages) }

func (v *View) begin() { v.began = len(v.messages) }

func (v *View) add(m llm.Message) {
	if len(v.messages) == v.began {
		v.prompt = m
	}
	v.messages = append(v.messages, m)
}

func (v *View) forget() {
	if v.began >= 0 {
		v.messages = v.messages[:min(v.began, len(v.messages))]
	}
}

// callIDs returns the ids of all calls.
func (v *View) callIDs() map[string]bool {
	ids := map[string]bool{}
	for _, m := range v.messages {
		for _, c := range m.Calls() {
			ids[c.ID] = true
		}
	}
	return ids
}

// Summary replaces the oldest messages.
type Summary struct {
	Text string `json:"text"`
	Keep int    `json:"keep"` // number of last messages that stay
	// Dropped is the number of messages that the summary replaces.
	Dropped int `json:"dropped"`
}

// Shorten replaces all but the last s.Keep messages with a summary.
func (v *View) Shorten(s Summary) {
	cut := max(0, len(v.messages)-s.Keep)
	rest := v.messages[cut:]
	head := llm.Text{Text: "Summary of the conversation so far:\n\n" + s.Text}
	parts := []llm.Part{head}
	inRun := cut > v.began
	if inRun {
		parts = append(parts, llm.Text{Text: "The user's last message, which is being worked on:"})
		parts = append(parts, v.prompt.Parts...)
	}
	first := llm.Message{Role: llm.RoleUser, Parts: parts}
	if len(rest) > 0 && rest[0].Role == llm.RoleUser {
		first.Parts = append(parts[:1:1], rest[0].Parts...)
		rest = rest[1:]
	}
	v.messages = append([]llm.Message{first}, rest...)
	if inRun {
		v.began = -1 // the summary contains a part of the run, so it can't be removed anymore
	} else {
		v.began = max(0, v.began-cut)
	}
}
