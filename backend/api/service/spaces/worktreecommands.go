package spaces

import (
	"context"
	"slices"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/changes/worktree"
	"weft/backend/store"
)

// maxCommands is the maximum number of listed commands of a repository.
const maxCommands = 100

// commandsKey returns the key in meta of the user's choice for a repository's commands. The token changes with the
// commands.
func commandsKey(token string) string { return "repository commands " + token }

// commandsAnswer returns the user's choice for the commands of a repository, "" if the user was not asked.
func (s *Worktrees) commandsAnswer(ctx context.Context, token string) (CommandsAnswer, error) {
	if token == "" {
		return "", nil
	}
	answer, _, err := s.store.Meta.Get(ctx, commandsKey(token))
	return CommandsAnswer(answer), err
}

// commandsOf returns the commands of a repository for clients, those that change files first.
func commandsOf(r *worktree.Repository) []RepositoryCommand {
	list := make([]RepositoryCommand, 0, len(r.Commands))
	for _, c := range r.Commands {
		list = append(list, RepositoryCommand{Key: c.Key, Value: clip.Text(c.Value, 300), File: c.File, Filter: c.Filter()})
	}
	slices.SortStableFunc(list, func(a, b RepositoryCommand) int {
		switch {
		case a.Filter == b.Filter:
			return 0
		case a.Filter:
			return -1
		}
		return 1
	})
	return list[:min(len(list), maxCommands)]
}

// consentToken returns the token for making a worktree: that of the repository's commands if the user agreed to their
// filters. It stores the answer.
func (s *Worktrees) consentToken(ctx context.Context, r *worktree.Repository, req WorktreeRequest) (string, error) {
	if r.Token == "" {
		return "", nil
	}
	answer := req.Commands
	switch answer {
	case CommandsRun, CommandsSkip:
		if req.CommandsToken != r.Token {
			return "", fault.New("commands_changed", "The commands of this repository have changed since they were shown. Check them again.")
		}
		if err := s.store.Meta.Set(ctx, commandsKey(r.Token), string(answer)); err != nil {
			return "", err
		}
	case "":
		known, err := s.commandsAnswer(ctx, r.Token)
		if err != nil {
			return "", err
		}
		if answer = known; answer == "" {
			return "", fault.New("commands_unanswered", "This repository's own configuration would run commands. Choose whether its filters may run, then create the worktree again.")
		}
	default:
		return "", fault.New(store.CodeInvalid, "The answer about the repository's commands must be run or skip.")
	}
	if answer == CommandsRun {
		return r.Token, nil
	}
	return "", nil
}
