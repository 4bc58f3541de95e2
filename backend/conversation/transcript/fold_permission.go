package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
)

// AskPermission folds a permission request. Its call, new or known, then waits for the user. requestID is Weft's id of
// the request. reading is shown next to the call (see [Permission]) and may be nil.
func (f *Fold) AskPermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, now int64) {
	c := f.askPermission(p, requestID, boundOptions(options), reading, now)
	f.box.add(&RunWaitingTool{RunID: f.RunID, ToolCallID: c.id, RequestID: requestID})
}

// The options of a display's request. A client recognizes a display's request by these ids, because the same call can
// also have a permission request.
const (
	DisplayAnswer = ownOption + "answer"
	DisplayCancel = ownOption + "cancel"
)

// ownOption is the prefix of option ids that only Weft uses.
const ownOption = "display:"

// replacedOption is the prefix of ids that replace an agent's option ids, followed by the option's index.
const replacedOption = "#"

// reservedOption reports whether an agent's id looks like one of Weft's.
func reservedOption(id string) bool {
	return strings.HasPrefix(id, ownOption) || strings.HasPrefix(id, replacedOption)
}

// AskDisplay folds a display that waits for the user's answer.
func (f *Fold) AskDisplay(p *ToolPatch, requestID string, now int64) {
	c := f.askPermission(p, requestID, []PermissionOption{{ID: DisplayAnswer, Name: "Answer", Kind: "allow_once"}, {ID: DisplayCancel, Name: "Cancel", Kind: "reject_once"}}, nil, now)
	f.box.add(&RunWaitingTool{RunID: f.RunID, ToolCallID: c.id, RequestID: requestID})
}

// DecidePermission folds a permission request that a rule, a mode or an earlier answer decides at once.
func (f *Fold) DecidePermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, r Resolution, now int64) {
	f.askPermission(p, requestID, boundOptions(options), reading, now)
	f.ResolvePermission(requestID, r, now)
}

func (f *Fold) askPermission(p *ToolPatch, requestID string, options []PermissionOption, reading jsontext.Value, now int64) *call {
	told := *p
	if c := f.calls.get(p.ID); c != nil {
		told.Status = nil // a request carries the status of the announcement, not the current one
	}
	c := f.tool(&told, now)
	if p.Content != nil || c.times.running == 0 {
		c.facts.Asked()
	}
	c.settle(f.box, false)
	f.calls.requests.open(f.box, c, waiting{requestID, options}, reading)
	return c
}

// maxReading is the maximum size of a reading inside its event, in bytes. Long options reduce it.
const maxReading = 4 << 10

// reading keeps a short reading inline and stores a large one as a blob.
func (o *Outbox) reading(v jsontext.Value, options []PermissionOption) (jsontext.Value, *Ref) {
	if len(v) == 0 {
		return nil, nil
	}
	if rest, err := json.Marshal(options, wire); err == nil && len(v) <= min(maxReading, MaxEvent-1<<10-len(rest)) {
		return v, nil
	}
	return nil, o.store(v, mimeJSON)
}

// Resolution says how a permission request ended.
type Resolution struct {
	Outcome  string // "selected", "cancelled", "lost" or "unasked": the agent acted without asking
	OptionID string // the selected option, as in [PermissionRequest]
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

// maxOptions is the maximum number of options of a request.
const maxOptions = 64

// boundOptions limits the size of the options and makes their ids unique and different from Weft's own. A replaced id
// is "#" and the option's index; see [OptionIndex].
func boundOptions(options []PermissionOption) []PermissionOption {
	size, twice := 0, false
	seen := make(map[string]bool, min(len(options), maxOptions))
	for _, o := range options {
		size += 64 + len(o.ID) + len(o.Name) + len(o.Kind)
		twice = twice || seen[o.ID] || reservedOption(o.ID)
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
		if seen[o.ID] || reservedOption(o.ID) || !small && len(clip.JSON(o.ID, 32)) < len(o.ID) {
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

// OptionID returns the id of option i as events have it. [OptionIndex] is the reverse.
func OptionID(options []PermissionOption, i int) string {
	if bounded := boundOptions(options); i < len(bounded) {
		return bounded[i].ID
	}
	return replacedOption + strconv.Itoa(i)
}

// OptionIndex returns the index of the option with this id among the options that the agent sent, or -1.
func OptionIndex(options []PermissionOption, id string) int {
	// Check this first: an agent may offer an option with an id that Weft assigned to another one.
	if n, ok := strings.CutPrefix(id, replacedOption); ok {
		if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(options) {
			return i
		}
	}
	return slices.IndexFunc(options, func(o PermissionOption) bool { return o.ID == id })
}
