package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"weft/backend/beside"
	"weft/backend/clip"
	"weft/backend/llm"
	"weft/backend/secret"
)

// Bounds of the built-in agent's program when it is asked for a list of models.
const (
	answerMost  = 8 << 20         // bytes of an answer
	complaint   = 4 << 10         // bytes that are kept of what it writes to stderr
	answerGrace = 5 * time.Second // for its start and end, on top of [llm.ListWithin]
)

// ask has the built-in agent's program ask a provider for its models: the SDKs are there. It blocks until there is an
// answer, for 20 s at most. Errors: those of the provider; [llm.ErrSilent] for no answer.
func ask(ctx context.Context, request llm.Listing) ([]llm.ModelInfo, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, llm.ListWithin+answerGrace, llm.ErrSilent)
	defer cancel()
	line, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	cmd, err := beside.AgentCommand(ctx, secret.Environ(), "models")
	if err != nil {
		return nil, err
	}
	answer, said := bounded{most: answerMost}, bounded{most: complaint}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &answer, &said, time.Second
	stdin, err := cmd.StdinPipe() // stays open: its end would call the request off
	if err != nil {
		return nil, fmt.Errorf("open a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the built-in agent: %w", err)
	}
	_, writeErr := stdin.Write(append(line, '\n'))
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, ended(err, said.kept)
	case writeErr != nil:
		return nil, fmt.Errorf("write the request: %w", writeErr)
	}
	return read(&answer)
}

// read takes an answer apart.
func read(answer *bounded) ([]llm.ModelInfo, error) {
	if answer.more {
		return nil, errors.New("the list is too long")
	}
	var listed llm.Listed
	if err := json.Unmarshal(answer.kept, &listed); err != nil {
		return nil, errors.New("the built-in agent's answer can't be read. Install Weft again")
	}
	return listed.Models, listed.Error.Err()
}

// ended is the error of a program that ended without an answer: its last sentence, else how it ended.
func ended(err error, stderr []byte) error {
	said := strings.ToValidUTF8(string(stderr), "\uFFFD")
	if i := strings.LastIndex(said, sentence); i >= 0 {
		said, _, _ = strings.Cut(said[i+len(sentence):], "\n")
		return errors.New(clip.Text(said, 500))
	}
	return fmt.Errorf("the built-in agent ended without an answer (%w)", err)
}

// sentence is before what the program tells users on stderr.
const sentence = "weft agent: "

// bounded keeps the beginning of what is written.
type bounded struct {
	kept []byte
	most int
	more bool // than that was written
}

// Write takes everything, so that the writer never waits.
func (b *bounded) Write(p []byte) (int, error) {
	keep := min(len(p), b.most-len(b.kept))
	b.kept, b.more = append(b.kept, p[:keep]...), b.more || keep < len(p)
	return len(p), nil
}
