package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
)

// AskPermission folds a permission request: the call (new or known) waits for the user.
// RequestID is the app's own id of the request, reading what is shown of the call beside it (see [Permission]), nil for nothing.
func (f *Fold) AskPermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, now int64) {
	c := f.askPermission(p, requestID, boundOptions(options), reading, now)
	f.box.add(&RunWaitingTool{RunID: f.RunID, ToolCallID: c.id, RequestID: requestID})
}

// The ways to end a display, as its request has them. By these ids a face tells such a request from one for permission,
// which may be made about the same call.
const (
	DisplayAnswer = ownOption + "answer"
	DisplayCancel = ownOption + "cancel"
)

// ownOption begins the ids of options that no agent offers.
const ownOption = "display:"

// replacedOption begins the ids that Weft gives to options, before their index.
const replacedOption = "#"

// ours reports whether an id of an agent reads like one that only Weft gives.
func ours(id string) bool {
	return strings.HasPrefix(id, ownOption) || strings.HasPrefix(id, replacedOption)
}

// AskDisplay folds a display that waits for its answer.
func (f *Fold) AskDisplay(p *ToolPatch, requestID string, now int64) {
	c := f.askPermission(p, requestID, []PermissionOption{{ID: DisplayAnswer, Name: "Answer", Kind: "allow_once"}, {ID: DisplayCancel, Name: "Cancel", Kind: "reject_once"}}, nil, now)
	f.box.add(&RunWaitingTool{RunID: f.RunID, ToolCallID: c.id, RequestID: requestID})
}

// DecidePermission folds a permission request that is answered at once, by nobody who has to be waited for.
func (f *Fold) DecidePermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, r Resolution, now int64) {
	f.askPermission(p, requestID, boundOptions(options), reading, now)
	f.ResolvePermission(requestID, r, now)
}

func (f *Fold) askPermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, now int64) *call {
	told := *p
	if c := f.calls.get(p.ID); c != nil {
		told.Status = nil // a request repeats the call as it was, not as it is
	}
	c := f.tool(&told, now)
	if p.Content != nil || c.times.running == 0 {
		c.facts.Asked()
	}
	c.settle(f.box, false)
	f.calls.requests.open(f.box, c, waiting{requestID, options}, reading)
	return c
}

// maxReading is the largest reading that is in its event, in bytes; where the options are many, less.
const maxReading = 4 << 10

// reading keeps the reading of a request inline if it is short, otherwise stores it.
func (o *Outbox) reading(v jsontext.Value, options []PermissionOption) (jsontext.Value, *Ref) {
	if len(v) == 0 {
		return nil, nil
	}
	if rest, err := json.Marshal(options, wire); err == nil && len(v) <= min(maxReading, MaxEvent-1<<10-len(rest)) {
		return v, nil
	}
	return nil, o.store(v, mimeJSON)
}

// Resolution is how a permission request ended.
type Resolution struct {
	Outcome  string // "selected", "cancelled", "lost" or "unasked": the agent did it without asking
	OptionID string // that was selected, as [PermissionRequest] has it
	By       *By    // nil: the user
}

// ResolvePermission ends a permission request. It reports whether the request was open.
func (f *Fold) ResolvePermission(requestID string, r Resolution, now int64) bool {
	c, rejected := f.calls.requests.resolve(f.box, requestID, r, now)
	if rejected && !c.status.Ended() {
		c.finish(f.box, StatusRejected, nil, now)
	}
	return c != nil
}

// Waits reports whether a permission request is open.
func (f *Fold) Waits(requestID string) bool { return f.calls.requests[requestID] != nil }

// maxOptions is how many options of a request are offered.
const maxOptions = 64

// boundOptions keeps the options of an event small, and their ids apart, from those of Weft's own too. An id that had to be replaced is "#"
// and the option's index; see [OptionIndex].
func boundOptions(options []PermissionOption) []PermissionOption {
	size, twice := 0, false
	seen := make(map[string]bool, min(len(options), maxOptions))
	for _, o := range options {
		size += 64 + len(o.ID) + len(o.Name) + len(o.Kind)
		twice = twice || seen[o.ID] || ours(o.ID)
		seen[o.ID] = true
	}
	small := size <= 4<<10
	if small && !twice {
		return options
	}
	options = options[:min(len(options), maxOptions)]
	name := 64
	if len(options) > maxOptions/2 {
		name = 28
	}
	out := make([]PermissionOption, 0, len(options))
	clear(seen)
	for i, o := range options {
		if seen[o.ID] || ours(o.ID) || !small && len(clip.JSON(o.ID, 32)) < len(o.ID) {
			o.ID = replacedOption + strconv.Itoa(i)
		}
		seen[o.ID] = true
		if !small {
			o.Name, o.Kind = clip.JSON(o.Name, name), clip.JSON(o.Kind, 16)
		}
		out = append(out, o)
	}
	return out
}

// OptionID is the id of option i as the events have it; see [OptionIndex] for the way back.
func OptionID(options []PermissionOption, i int) string {
	if bounded := boundOptions(options); i < len(bounded) {
		return bounded[i].ID
	}
	return replacedOption + strconv.Itoa(i)
}

// OptionIndex finds the option that an answer means among the options as the agent sent
// them, -1 if there is none.
func OptionIndex(options []PermissionOption, id string) int {
	// First, since an agent may offer an option with the id that Weft gave to another one.
	if n, ok := strings.CutPrefix(id, replacedOption); ok {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(options) {
			return i
		}
	}
	return slices.IndexFunc(options, func(o PermissionOption) bool { return o.ID == id })
}
