package service

import "context"

// TerminalRef names a terminal of a space.
type TerminalRef struct {
	SpaceID    string `json:"spaceId"`
	TerminalID string `json:"terminalId"`
}

// KillTerminal ends the command that runs in a terminal, with everything that it started.
func (s *Service) KillTerminal(ctx context.Context, req TerminalRef) (none, error) {
	return none{}, s.runs.KillTerminal(ctx, req.SpaceID, req.TerminalID)
}
