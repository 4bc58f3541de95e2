package builtin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"weft/backend/llm"
	"weft/backend/llm/mapper"
	"weft/backend/secret"
)

// listingMost is the longest request for a list of models, in bytes.
const listingMost = 64 << 10

// listMain is `weft-agent models`: it reads an [llm.Listing] from a line of stdin and writes an [llm.Listed] to
// stdout. What goes wrong with the provider is in the answer; the exit code is 2 for a request that can't be read.
// The client keeps stdin open until it has the answer: a client that is gone calls the request off.
func listMain(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	secret.Seal() // it holds a key
	in := bufio.NewReader(io.LimitReader(stdin, listingMost))
	line, err := in.ReadBytes('\n')
	var request llm.Listing
	if err == nil {
		err = json.Unmarshal(line, &request)
	}
	if err != nil {
		fmt.Fprintln(stderr, "weft agent: a request for models is a line of JSON on standard input.") // not err, which may quote a key
		return 2
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	found, err := list(ctx, request)
	answer := llm.Listed{Models: found, Error: llm.NewListError(err)}
	if err := json.NewEncoder(stdout).Encode(answer); err != nil {
		fmt.Fprintf(stderr, "weft agent: couldn't write the models: %v\n", err)
		return 1
	}
	return 0
}

// list asks a provider for its models, of which it returns the first.
func list(ctx context.Context, r llm.Listing) ([]llm.ModelInfo, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, llm.ListWithin, llm.ErrSilent)
	defer cancel()
	model, err := mapper.New(r.Provider, llm.Options{Key: r.Key, BaseURL: r.BaseURL, API: r.API, Client: llm.NewClient(llm.ListWithin)})
	if err != nil {
		return nil, err
	}
	found, err := model.Models(ctx)
	if err != nil && errors.Is(context.Cause(ctx), llm.ErrSilent) {
		err = llm.ErrSilent
	}
	return found[:min(len(found), llm.ListMost)], err
}
