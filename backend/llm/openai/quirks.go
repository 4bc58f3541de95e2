package openai

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"weft/backend/llm"
)

// quirks is what of a request a server or model does not accept. Servers name the field when they refuse a request,
// so that the same request can be made without it, before anything of an answer has come.
type quirks struct {
	maxTokens   bool // max_tokens in place of max_completion_tokens
	swapped     bool // so that the two are not tried in turn forever
	noUsage     bool // no stream_options
	noEffort    bool
	noSummary   bool
	noEncrypted bool
	objectOnly  bool // response_format json_object in place of json_schema
}

// knownQuirks are those that models of a server were found to have. It is safe for concurrent use.
type knownQuirks struct {
	official bool // the server is OpenAI's own

	mu      sync.Mutex
	byModel map[string]quirks
}

// of returns the quirks of a model. Of one that was not asked yet they are those of most servers.
func (k *knownQuirks) of(name string) quirks {
	k.mu.Lock()
	defer k.mu.Unlock()
	q, ok := k.byModel[name]
	if !ok {
		q.maxTokens = !k.official // the older name is what most others know
	}
	return q
}

// set keeps the quirks of a model.
func (k *knownQuirks) set(name string, q quirks) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byModel == nil {
		k.byModel = map[string]quirks{}
	}
	k.byModel[name] = q
}

// learn returns the quirks with one more that an error reports, and a sentence if something is lost; or the same.
func (q quirks) learn(err error) (quirks, string) {
	var f *llm.Error
	if !errors.As(err, &f) || f.Status != http.StatusBadRequest && f.Status != http.StatusUnprocessableEntity {
		return q, ""
	}
	says := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(f.Message, word) {
				return true
			}
		}
		return false
	}
	switch {
	case !q.swapped && says("max_tokens", "max_completion_tokens") && says("nsupported", "not supported", "nrecognized", "nknown", "xtra", "not permitted", "instead"):
		q.swapped, q.maxTokens = true, !q.maxTokens
		return q, ""
	case !q.noUsage && says("stream_options"):
		q.noUsage = true
		return q, "The server doesn't report how many tokens were used."
	case !q.noSummary && says("reasoning.summary", "reasoning summar"):
		q.noSummary = true
		return q, "The model's thinking isn't shown: the server doesn't send summaries of it."
	case !q.noEncrypted && says("ncrypted content", "encrypted_content"):
		q.noEncrypted = true
		return q, ""
	case !q.noEffort && says("reasoning_effort", "reasoning.effort", "'reasoning'"):
		q.noEffort = true
		return q, "The effort can't be chosen for this model."
	case !q.objectOnly && says("response_format", "json_schema"):
		q.objectOnly = true
		return q, "The server can't enforce a schema; the schema is described in words."
	}
	return q, ""
}
