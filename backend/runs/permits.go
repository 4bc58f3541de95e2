package runs

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/actions"
	"weft/backend/permission"
	"weft/backend/requests"
	"weft/backend/transcript"
)

// permitMethod lets an agent ask whether it may do something by itself that it would not send a permission request for: read a file, search
// a folder, continue with what the user has settled with it. Clients say with permitMeta, in the _meta of their capabilities, that they answer it.
const (
	permitMethod = "_weft/permit"
	permitMeta   = "weft/permit"
)

// toPermit is what an agent asks for.
type toPermit struct {
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

// permitted is the answer; a refusal of the whole is an error.
type permitted struct {
	Denied []int `json:"denied"` // of the paths
}

// maxPermitPaths is how many paths a request may name.
const maxPermitPaths = 10_000

func (l *link) permits(ctx context.Context, p toPermit) (any, error) {
	if err := l.ours(p.SessionID); err != nil {
		return nil, err
	}
	if len(p.Paths) > maxPermitPaths {
		return nil, &Error{Code: "invalid", Message: "These are too many paths for one request."}
	}
	s := l.s
	if len(p.Paths) > 0 && !p.Ask {
		out := permitted{Denied: []int{}}
		for i, rejected := range s.m.opt.Rules().RejectsFile(s.place(), p.Kind, p.Paths) {
			if rejected {
				out.Denied = append(out.Denied, i)
			}
		}
		return out, nil
	}
	s.Lock()
	mode := s.modeNow()
	s.Unlock()
	o := &requests.Operation{
		Action: actions.Action{Kind: actions.Other}, At: p.ToolCallID, Row: transcript.ToolPatch{Title: &p.Title}, Size: len(p.Input),
		Call: permission.Call{Kind: p.Kind, Title: p.Title, Input: p.Input, Paths: p.Paths},
	}
	if p.Kind == "read" || p.Kind == "search" {
		o.Kind = actions.Read
		for _, path := range p.Paths {
			o.Files = append(o.Files, l.path(path))
		}
		if p.Kind == "search" || len(o.Files) != 1 {
			o.Files = []string{"\x00" + p.Title} // the same search again
		}
	}
	if !p.Ask && mode != permission.AskAlways {
		d := s.m.opt.Rules().Decide(permission.Describe(&o.Call, s.place()), mode)
		if d.Verdict != permission.Rejected {
			return permitted{Denied: []int{}}, nil
		}
	}
	done, err := l.consent(ctx, o)
	done(err)
	if err != nil {
		return nil, err
	}
	return permitted{Denied: []int{}}, nil
}
