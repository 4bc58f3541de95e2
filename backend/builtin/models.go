package builtin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"weft/backend/builtin/mapper"
	"weft/backend/llm"
	"weft/backend/settings/secret"
)

// listingMost is the maximum size of a request for a list of models, in bytes.
const listingMost = 64 << 10

// listMain implements "weft-agent models": it reads an [llm.Listing] from a line of stdin and writes an [llm.Listed] to
// stdout, which also reports errors of the provider. The exit code is 2 if the request can't be read. The client must
// keep stdin open until it has the answer; closing it cancels the request.
func listMain(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	secret.Seal() // it holds a key
	in := bufio.NewReader(io.LimitReader(stdin, listingMost))
	line, err := in.ReadBytes('\n')
	var request llm.Listing
	if err == nil {
		err = json.Unmarshal(line, &request)
	}
	if err != nil {
		fmt.Fprintln(stderr, "weft agent: a request for models is a line of JSON on standard input.") // not err, which may contain a key
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

// list asks a provider for its models and returns the first ones.
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
