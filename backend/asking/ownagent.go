package asking

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/actions"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// PermitMethod lets an agent ask whether it may do something by itself that it would not send a permission request for: read a file, search
// a folder, continue with what the user has settled with it. Clients say with PermitMeta, in the _meta of their capabilities, that they answer it.
const (
	PermitMethod = "_weft/permit"
	PermitMeta   = "weft/permit"
)

// ToPermit is what an agent asks for with [PermitMethod].
type ToPermit struct {
	SessionID  string         `json:"sessionId"`
	ToolCallID string         `json:"toolCallId"`
	Kind       string         `json:"kind"` // of tool
	Title      string         `json:"title"`
	Input      jsontext.Value `json:"input"`
	Paths      []string       `json:"paths"`
	// Ask makes one thing of it, which is allowed or refused, by the user if need be. Otherwise each of the paths is judged by itself and
	// nobody is asked, unless the space asks about everything and no paths are named.
	Ask bool `json:"ask"`
}

// Permitted is the answer; a refusal of the whole is an error.
type Permitted struct {
	Denied []int `json:"denied"` // of the paths
}

// maxPermitPaths is how many paths a request may name.
const maxPermitPaths = 10_000

// Decide answers what can be answered without asking the user: nil if the user may have to be asked about [ToPermit.Operation]. Mode
// is asked only then. It follows links on disk. Error: invalid.
func (t *ToPermit) Decide(at permission.Place, rules *permission.Set, mode func() permission.Mode) (*Permitted, error) {
	if len(t.Paths) > maxPermitPaths {
		return nil, fault.New("invalid", "Too many paths for one request.")
	}
	out := &Permitted{Denied: []int{}}
	if len(t.Paths) > 0 && !t.Ask {
		for i, rejected := range rules.RejectsFile(at, t.Kind, t.Paths) {
			if rejected {
				out.Denied = append(out.Denied, i)
			}
		}
		return out, nil
	}
	if mode := mode(); !t.Ask && mode != permission.AskAlways {
		call := t.call()
		if d := rules.Decide(permission.Describe(&call, at), mode); d.Verdict != permission.Rejected {
			return out, nil
		}
	}
	return nil, nil
}

func (t *ToPermit) call() permission.Call {
	return permission.Call{Kind: t.Kind, Title: t.Title, Input: t.Input, Paths: t.Paths}
}

// Operation returns what the agent wants to do as one operation.
func (t *ToPermit) Operation(f Folder) *requests.Operation {
	o := &requests.Operation{
		Action: actions.Action{Kind: actions.Other}, At: t.ToolCallID, Row: transcript.ToolPatch{Title: &t.Title}, Size: len(t.Input), Call: t.call(),
	}
	if t.Kind == "read" || t.Kind == "search" {
		o.Kind = actions.Read
		for _, path := range t.Paths {
			o.Files = append(o.Files, f.Key(path))
		}
		if t.Kind == "search" || len(o.Files) != 1 {
			o.Files = []string{"\x00" + t.Title} // the same search again
		}
	}
	return o
}
