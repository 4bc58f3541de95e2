package loop

import (
	"context"
	"errors"
	"slices"

	"weft/backend/llm"
)

// fullAt is the usage of the model's context, in percent, at which the conversation is shortened before the next
// request.
const fullAt = 85

const summarise = `Write a summary of the conversation above that lets you continue the work without it. Say what the user wants, word for word where it
matters; what was found out and decided; which files were read, changed and created, with their paths; commands that matter and what they showed; what failed
and why; what is left to do. Be exact and complete rather than short. Do not call tools. Answer with the summary only.`

func (t *run) nearlyFull() bool {
	return t.Context > 0 && t.view.used*100 > t.Context*fullAt
}

var errTooShort = errors.New("there is nothing to shorten")

// shorten has the model summarize the oldest part of the conversation, and replaces that part in future requests. The
// stored conversation stays complete.
func (t *run) shorten() error {
	all := t.view.Messages()
	cut := boundary(all)
	if cut <= 0 {
		return errTooShort
	}
	text, err := t.summary(all[:cut])
	if err != nil {
		return err
	}
	s := Summary{Text: text, Keep: len(all) - cut, Dropped: cut}
	if err := t.Host.Shortened(s); err != nil {
		return err
	}
	t.view.Shorten(s)
	t.view.used = 0
	return nil
}

// Shorten shortens the conversation at the user's request. It returns false if there is nothing to shorten.
func (r *Runner) Shorten(ctx context.Context, view *View) (bool, error) {
	t := &run{Runner: r, ctx: ctx, view: view}
	err := t.shorten()
	if errors.Is(err, errTooShort) {
		return false, nil
	}
	return err == nil, err
}

// boundary returns the index at which the conversation can be cut: the rest begins with a prompt or a model's message
// and is at most a quarter of the whole. It returns 0 if there is none.
func boundary(all []llm.Message) int {
	sizes := make([]int, len(all))
	total := 0
	for i, m := range all {
		sizes[i] = size(m.Parts)
		total += sizes[i]
	}
	best, rest := 0, 0
	for i := len(all) - 1; i > 0; i-- {
		rest += sizes[i]
		if best > 0 && rest > total/4 {
			break
		}
		if !startsWithResult(all[i]) {
			best = i
		}
	}
	return best
}

func startsWithResult(m llm.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p llm.Part) bool { _, is := p.(llm.ToolResult); return is })
}

// size returns the approximate size of parts for a model, in bytes of text.
func size(parts []llm.Part) int {
	n := 0
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Text:
			n += len(p.Text)
		case llm.Thinking:
			n += len(p.Text)
		case llm.ToolCall:
			n += len(p.Input) + len(p.Raw)
		case llm.ToolResult:
			n += size(p.Parts)
		case llm.Image:
			n += 6000
		case llm.File:
			n += len(p.Data) / 4
		}
	}
	return n
}

// summary asks the model for a summary. While the request is too long, it drops the older half and tries again.
func (t *run) summary(messages []llm.Message) (string, error) {
	for attempt := 0; ; attempt++ {
		res, err := t.Model.Stream(t.ctx, t.request(asking(messages)), func(llm.Delta) {})
		t.out.Usage = t.out.Usage.Add(res.Usage)
		text := res.Message.Text()
		if err == nil && text == "" {
			err = errors.New("the model wrote no summary")
		}
		if err == nil {
			return text, nil
		}
		var e *llm.Error
		half := boundaryFrom(messages, len(messages)/2)
		if attempt == 3 || half <= 0 || !errors.As(err, &e) || e.Code != llm.CodeContext {
			return "", err
		}
		v := View{messages: slices.Clone(messages)}
		v.Shorten(Summary{Text: "(The beginning was too long to include.)", Keep: len(messages) - half})
		messages = v.messages
	}
}

// boundaryFrom returns the first index from i on at which the conversation can be cut, or 0.
func boundaryFrom(all []llm.Message, i int) int {
	for ; i < len(all); i++ {
		if i > 0 && !startsWithResult(all[i]) {
			return i
		}
	}
	return 0
}

// asking returns the conversation with a request for a summary at the end.
func asking(messages []llm.Message) []llm.Message {
	wish := llm.Text{Text: summarise}
	last := len(messages) - 1
	if messages[last].Role == llm.RoleModel {
		return append(slices.Clip(messages), llm.Message{Role: llm.RoleUser, Parts: []llm.Part{wish}})
	}
	out := slices.Clone(messages)
	out[last].Parts = append(slices.Clip(out[last].Parts), wish)
	return out
}
