package service

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/backend/registry/install"
)

// askInstall returns the answer to a question of an install: the one that its request brought, or else the one that AnswerInstall gives. It blocks
// until then.
func (s *Service) askInstall(ctx context.Context, job *installJob, q install.Question, req InstallAgentRequest) (bool, error) {
	switch {
	case slices.Contains(req.Confirm, q.Token):
		return true, nil
	case req.SkipScripts && q.Code == install.CodeScripts:
		return false, nil
	}
	answer := make(chan bool, 1)
	s.installs.note(job, func(v *Install) {
		v.Question = &q
		if req.Ask {
			v.State, job.answer = "asking", answer
		}
	})
	if !req.Ask {
		return false, unconfirmed(q)
	}
	s.publishInstalls()
	var yes bool
	var err error
	select {
	case yes = <-answer:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.installs.note(job, func(v *Install) {
		v.State, v.Question, job.answer = "running", nil, nil
	})
	s.publishInstalls()
	return yes, err
}

// unconfirmed is the error of an install that may not ask. It names what has to be confirmed, and how.
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
	return &Error{Code: q.Code, Message: q.Message, Detail: strings.Join(append(lines, how), "\n")}
}

// AnswerInstall passes the user's answer to the install that asked the question with this token. Error: not_found if that question is not open.
func (s *Service) AnswerInstall(_ context.Context, req AnswerInstallRequest) (none, error) {
	s.installs.mu.Lock()
	defer s.installs.mu.Unlock()
	job := s.installs.jobs[req.ID]
	if job == nil || job.answer == nil || job.view.Question.Token != req.Token {
		return none{}, &Error{Code: "not_found", Message: "This question is no longer open."}
	}
	job.answer <- req.Yes // has room for the one answer
	job.answer = nil
	return none{}, nil
}
