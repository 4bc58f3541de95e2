package requests

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/permission/actions"
)

// PermitMethod lets an agent ask whether it may do something for which it would not send a permission request: read a
// file, search a folder, or continue with something the user has already decided. Clients set PermitMeta in the _meta
// of their capabilities if they support it.
const (
	PermitMethod = "_weft/permit"
	PermitMeta   = "weft/permit"
)

// ToPermit is the request of [PermitMethod].
type ToPermit struct {
	SessionID  string         `json:"sessionId"`
	ToolCallID string         `json:"toolCallId"`
	Kind       string         `json:"kind"` // kind of tool
	Title      string         `json:"title"`
	Input      jsontext.Value `json:"input"`
	Paths      []string       `json:"paths"`
	// Ask treats the request as a whole, and asks the user if necessary. Otherwise each path is judged separately
	// without asking the user, unless the space asks about everything and there are no paths.
	Ask bool `json:"ask"`
}

// Permitted is the response. If the request is refused as a whole, the response is an error.
type Permitted struct {
	Denied []int `json:"denied"` // indexes of paths
}

// maxPermitPaths limits the paths of a request.
const maxPermitPaths = 10_000

// Decide returns the response if the user needn't be asked, or nil if the user may have to be asked about
// [ToPermit.Operation]. It calls mode only if it needs the mode. It resolves symbolic links on disk. Error: invalid.
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

// Operation returns the request as one operation.
func (t *ToPermit) Operation(f Folder) *Operation {
	o := &Operation{
		Action: actions.Action{Kind: actions.Other}, At: t.ToolCallID, Row: transcript.ToolPatch{Title: &t.Title}, Size: len(t.Input), Call: t.call(),
	}
	if t.Kind == "read" || t.Kind == "search" {
		o.Kind = actions.Read
		for _, path := range t.Paths {
			o.Files = append(o.Files, f.Key(path))
		}
		if t.Kind == "search" || len(o.Files) != 1 {
			o.Files = []string{"\x00" + t.Title} // the key of a repeated search
		}
	}
	return o
}
