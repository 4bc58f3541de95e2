// Package guide is the offline guide: the agent that a first start of Weft has without a key or a network.
//
// The guide is no language model. It follows fixed rules ([parse]), reports only what the agent's tools return from
// the session's folder, and edits one file if the user allows it. It implements [llm.Model], so that sessions, tool
// calls and permissions work the same way as with a language model.
//
// intent.go parses prompts, answer.go, search.go and project.go answer, contribute.go is the edit, and turn.go takes
// results from the conversation (decision 0033).
package guide

import (
	"context"
	"errors"

	"weft/backend/llm"
)

// Name is the name of the provider and of its only model.
const Name = "guide"

type model struct{}

// New returns the guide as a model.
func New() llm.Model { return model{} }

// Models implements [llm.Model].
func (model) Models(context.Context) ([]llm.ModelInfo, error) {
	return []llm.ModelInfo{{ID: Name, Name: "Offline guide"}}, nil
}

// Stream implements [llm.Model]. It uses the tools list, glob, search, read and write, if they are offered, and ignores
// the settings of the request that concern language models.
//
// The guide keeps no state between requests. Each request handles the prompt again from its beginning and takes the
// results of earlier tool calls from the conversation. The message ends with the first call that has no result yet;
// text that earlier messages contain is not repeated.
func (model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	if req.Output != nil {
		return llm.Response{}, &llm.Error{Code: llm.CodeUnmappable, Message: "The offline guide can't produce structured output. Choose a language model."}
	}
	start := promptAt(req.Messages)
	if start < 0 {
		return llm.Response{}, &llm.Error{Code: llm.CodeRequest, Message: "The conversation has no prompt to answer."}
	}
	t := newTurn(req, start)
	a := &answer{turn: t, prompt: req.Messages[start], first: start == 0}
	if err := a.run(); err != nil && !errors.Is(err, errPending) {
		t.para("I couldn't continue: %s.", sentence(err))
	}
	return t.message(ctx, emit, freeID(req.Messages))
}

// promptAt returns the index of the prompt that the current run answers: the user message after the last model message
// without tool calls. It returns -1 if there is none.
func promptAt(messages []llm.Message) int {
	at := len(messages) - 1
	if at < 0 || messages[at].Role != llm.RoleUser {
		return -1
	}
	for at >= 2 && len(messages[at-1].Calls()) > 0 {
		at -= 2
	}
	return at
}
