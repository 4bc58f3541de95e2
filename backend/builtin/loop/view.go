package loop

import (
	"slices"

	"weft/backend/llm"
)

// View is the conversation as the model is sent it: all messages, but for those of refused runs, and with a
// summary in place of the oldest once it was too long. It has one user at a time.
type View struct {
	messages []llm.Message
	began    int // where the run in progress begins, -1 if that is summarized
	prompt   llm.Message
	used     int64 // tokens of the last request and its answer
}

// Add appends a message that was stored. Begin marks the next as the first of a run; Forget takes back what came
// since. With [View.Shorten], these rebuild a view from its record.
func (v *View) Add(m llm.Message) { v.add(m) }

// Begin marks where a run begins.
func (v *View) Begin() { v.begin() }

// Forget takes the last run back.
func (v *View) Forget() { v.forget() }

// Messages is what the model is sent. The slice must not be changed.
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

// callIDs are the ids of all calls.
func (v *View) callIDs() map[string]bool {
	ids := map[string]bool{}
	for _, m := range v.messages {
		for _, c := range m.Calls() {
			ids[c.ID] = true
		}
	}
	return ids
}

// Summary takes the place of the oldest messages.
type Summary struct {
	Text string `json:"text"`
	Keep int    `json:"keep"` // messages that stay, counted from the end
	// Dropped is how many messages it stands for.
	Dropped int `json:"dropped"`
}

// Shorten puts a summary in the place of all but the last messages.
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
		v.began = -1 // the summary holds a part of the run, which cannot be taken back any more
	} else {
		v.began = max(0, v.began-cut)
	}
}
