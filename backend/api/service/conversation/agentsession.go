package conversation

import (
	"context"

	"weft/backend/api/service/ref"
	"weft/backend/base/command"
	"weft/backend/base/fault"

	"github.com/go-json-experiment/json/jsontext"
)

// SetOptionRequest sets an option of a member's session: its model, mode, thinking level …
type SetOptionRequest struct {
	SpaceID  string         `json:"spaceId"`
	MemberID string         `json:"memberId"` // "": the default member
	OptionID string         `json:"optionId"`
	Value    jsontext.Value `json:"value"` // a string, or a boolean
}

// PrepareAgent starts a member's agent before the first prompt, opens a session, and blocks until the state `session`
// has its options.
func (s *Prompts) PrepareAgent(ctx context.Context, req ref.MemberRef) (command.None, error) {
	return command.None{}, s.runs.Sessions().Prepare(ctx, req.SpaceID, req.MemberID)
}

// SetOption sets an option of a member's session. It starts the agent if necessary, and blocks until the agent has
// accepted the value.
func (s *Prompts) SetOption(ctx context.Context, req SetOptionRequest) (command.None, error) {
	if len(req.Value) == 0 || req.Value[0] != '"' && req.Value[0] != 't' && req.Value[0] != 'f' {
		return command.None{}, fault.New(fault.Invalid, "The value of an option must be a text, or true or false.")
	}
	return command.None{}, s.runs.Sessions().Choose(ctx, req.SpaceID, req.MemberID, req.OptionID, req.Value)
}

// TerminalRef names a terminal of a space.
type TerminalRef struct {
	SpaceID    string `json:"spaceId"`
	TerminalID string `json:"terminalId"`
}

// KillTerminal kills a terminal's command with its process tree, and blocks until they are gone. Error: not_found if
// the command has ended.
func (s *Prompts) KillTerminal(ctx context.Context, req TerminalRef) (command.None, error) {
	return command.None{}, s.runs.KillTerminal(ctx, req.SpaceID, req.TerminalID)
}
