package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/backend/agent/registry/install"
	"weft/backend/base/command"
	"weft/backend/base/fault"
)

// ask returns the answer to a question of an install: from its request, or else from AnswerInstall. It blocks until
// then.
func (s *Installs) ask(ctx context.Context, one *installJob, q install.Question, req InstallAgentRequest) (bool, error) {
	switch {
	case slices.Contains(req.Confirm, q.Token):
		return true, nil
	case req.SkipScripts && q.Code == install.CodeScripts:
		return false, nil
	}
	answer := make(chan bool, 1)
	s.jobs.note(one, func(o *installJob) {
		o.view.Question = &q
		if req.Ask {
			o.view.State, o.answer = "asking", answer
		}
	})
	if !req.Ask {
		return false, unconfirmed(q)
	}
	s.jobsChanged()
	var yes bool
	var err error
	select {
	case yes = <-answer:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.jobs.note(one, func(o *installJob) {
		o.view.State, o.view.Question, o.answer = "running", nil, nil
	})
	s.jobsChanged()
	return yes, err
}

// unconfirmed returns the error of an install that may not ask. It says what needs confirmation, and how to confirm it.
func unconfirmed(q install.Question) error {
	lines := []string{}
	if q.Address != "" {
		lines = append(lines, q.Address)
	}
	for _, script := range q.Scripts {
		lines = append(lines, fmt.Sprintf("%s@%s %s: %s", script.Package, script.Version, script.Event, script.Command))
	}
	lines = append(lines, q.Packages...)
	how := fmt.Sprintf("To confirm, install again with confirm: [%q].", q.Token)
	if q.Code == install.CodeScripts {
		how += " To install without the scripts, use skipScripts: true."
	}
	return fault.Plain(q.Code, q.Message).With(strings.Join(append(lines, how), "\n"))
}

// AnswerInstall answers the question with this token and lets its install continue. Error: not_found if that question
// is not open.
func (s *Installs) AnswerInstall(_ context.Context, req AnswerInstallRequest) (command.None, error) {
	if !s.jobs.answer(req.ID, req.Token, req.Yes) {
		return command.None{}, fault.New(fault.NotFound, "This question is no longer open.")
	}
	return command.None{}, nil
}
