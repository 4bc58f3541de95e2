// Package guidemodel is the offline guide as a model: one more [llm.Model], without a key or a network.
//
// It keeps nothing between requests. At each one the guide answers the last prompt again from its start, and every
// tool that it wants is answered from the results in the conversation. Where there is no result yet, the message
// ends with the call. The guide is deterministic, so up to there it says what it said before; that is not emitted
// again. Nothing is waited for in between, so a message is as ready as it comes.
package guidemodel

import (
	"context"
	"errors"
	"fmt"

	"weft/backend/builtin/guide"
	"weft/backend/llm"
)

// Name is the name of the provider and of its one model.
const Name = "guide"

type model struct{}

// New makes the guide.
func New() llm.Model { return model{} }

// Models implements llm.Model.
func (model) Models(context.Context) ([]llm.ModelInfo, error) {
	return []llm.ModelInfo{{ID: Name, Name: "Offline guide"}}, nil
}

// Stream implements llm.Model. Model, System, MaxTokens and Effort of the request mean nothing to the guide. It uses the
// tools list, glob, search, read, write and todo, as far as they are offered.
func (model) Stream(ctx context.Context, req llm.Request, emit func(llm.Delta)) (res llm.Response, err error) {
	if req.Output != nil {
		return res, &llm.Error{Code: llm.CodeUnmappable, Message: "The offline guide answers in plain text and cannot fill in a given form. Choose a language model for this."}
	}
	if err := ctx.Err(); err != nil {
		return res, err
	}
	start := promptAt(req.Messages)
	if start < 0 {
		return res, &llm.Error{Code: llm.CodeRequest, Message: "There is no prompt that the offline guide could answer."}
	}
	t := newTurn(ctx, req, start)
	defer t.stop()
	if err := t.answer(takePrompt(req.Messages[start], start == 0)); err != nil {
		return res, err
	}
	w := &writer{emit: emit, message: llm.Message{Role: llm.RoleModel}, ids: idsOf(req.Messages)}
	stop := t.write(ctx, w)
	return llm.Response{Message: w.message, Stop: stop, Model: Name}, ctx.Err()
}

// answer runs the guide until it wants what nobody knows yet, or to its end. A panic becomes an error: what tools
// return is not the guide's own.
func (t *turn) answer(req guide.Request) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &llm.Error{Code: llm.CodeServer, Message: "The offline guide failed while answering. Ask again in other words.", Err: fmt.Errorf("panic: %v", r)}
		}
	}()
	err = guide.Answer(t.ctx, t, req)
	if t.wanted != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// promptAt finds the message that began the run which is going on: the user's after the last model message
// without calls. It is -1 if there is none.
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
