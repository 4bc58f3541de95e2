package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"weft/backend/base/beside"
	"weft/backend/base/clip"
	"weft/backend/llm"
	"weft/backend/settings/secret"
)

// Limits for requests to the built-in agent's program.
const (
	maxResponse = 8 << 20         // bytes of a response
	maxStderr   = 4 << 10         // bytes kept of its stderr
	startGrace  = 5 * time.Second // for its start and exit, in addition to [llm.ListWithin]
)

// askForModels lists a provider's models through the program of the built-in agent, which has the clients. It blocks
// until there is a response, for at most 20 s. Errors: those of the provider; [llm.ErrSilent] without a response.
func askForModels(ctx context.Context, request llm.Listing) ([]llm.ModelInfo, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, llm.ListWithin+startGrace, llm.ErrSilent)
	defer cancel()
	line, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	cmd, err := beside.AgentCommand(ctx, secret.Environ(), "models")
	if err != nil {
		return nil, err
	}
	answer, said := bounded{most: maxResponse}, bounded{most: maxStderr}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &answer, &said, time.Second
	stdin, err := cmd.StdinPipe() // kept open: closing it cancels the request
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
		return nil, askError(err, said.kept)
	case writeErr != nil:
		return nil, fmt.Errorf("write the request: %w", writeErr)
	}
	return readModels(&answer)
}

// read parses a response.
func readModels(answer *bounded) ([]llm.ModelInfo, error) {
	if answer.more {
		return nil, errors.New("the list is too long")
	}
	var listed llm.Listed
	if err := json.Unmarshal(answer.kept, &listed); err != nil {
		return nil, errors.New("the built-in agent's answer can't be read. Install Weft again")
	}
	return listed.Models, listed.Error.Err()
}

// askError returns the error of a program that exited without a response: its last sentence, or else its exit status.
func askError(err error, stderr []byte) error {
	said := strings.ToValidUTF8(string(stderr), "\uFFFD")
	if i := strings.LastIndex(said, messagePrefix); i >= 0 {
		said, _, _ = strings.Cut(said[i+len(messagePrefix):], "\n")
		return errors.New(clip.Text(said, 500))
	}
	return fmt.Errorf("the built-in agent ended without an answer (%w)", err)
}

// sentence precedes the program's messages for users on stderr.
const messagePrefix = "weft agent: "

// bounded keeps the beginning of its input.
type bounded struct {
	kept []byte
	most int
	more bool // more was written than kept
}

// Write accepts all of p, so that the writer never blocks.
func (b *bounded) Write(p []byte) (int, error) {
	keep := min(len(p), b.most-len(b.kept))
	b.kept, b.more = append(b.kept, p[:keep]...), b.more || keep < len(p)
	return len(p), nil
}
