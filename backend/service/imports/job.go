package imports

import (
	"context"
	"sync"

	"weft/backend/command"
	"weft/backend/failure"
	"weft/backend/fault"
)

// ImportJob is an import of conversations of programs: the one in progress, or the last one since the start.
type ImportJob struct {
	Running  bool                 `json:"running"`
	Progress ImportProgress       `json:"progress"`
	Report   *ConversationsReport `json:"report"` // null while it runs, and where there was none
	Error    string               `json:"error"`  // a sentence, why it ended early; "" if it didn't
}

// job is the import that runs or ran last.
type job struct {
	told func()

	mu     sync.Mutex
	state  ImportJob
	cancel context.CancelFunc
}

// change changes the state and tells that.
func (j *job) change(f func(s *ImportJob)) {
	j.mu.Lock()
	f(&j.state)
	j.mu.Unlock()
	j.tell()
}

func (j *job) tell() {
	if j.told != nil {
		j.told()
	}
}

// begin begins one and tells that; it reports whether there was none in progress.
func (j *job) begin(cancel context.CancelFunc) bool {
	j.mu.Lock()
	if j.state.Running {
		j.mu.Unlock()
		return false
	}
	j.state, j.cancel = ImportJob{Running: true}, cancel
	j.mu.Unlock()
	j.tell()
	return true
}

// FoundConversations is what of other programs is on this machine.
type FoundConversations struct {
	Programs []FoundProgram `json:"programs"`
	// Offer tells that the user was never asked whether to import them, and nothing was imported.
	Offer bool `json:"offer"`
}

// answeredKey is, in meta, that the user was asked whether to import conversations.
const answeredKey = "imports:answered"

// FindConversations counts the conversations that other programs have kept on this machine. They aren't read.
func (s *Imports) FindConversations(ctx context.Context, _ command.None) (FoundConversations, error) {
	list, err := s.importer().find(ctx)
	if err != nil {
		return FoundConversations{}, err
	}
	_, answered, err := s.store.Meta.Get(ctx, answeredKey)
	return FoundConversations{Programs: list, Offer: !answered}, err
}

// DeclineImport notes that the user doesn't want to be asked whether to import conversations.
func (s *Imports) DeclineImport(ctx context.Context, _ command.None) (command.None, error) {
	return command.None{}, s.store.Meta.Set(ctx, answeredKey, "1")
}

// ImportConversations begins to import conversations of other programs, each once, and again only what is new. It doesn't wait for the end: the event
// `imports` tells how far it is. Errors: conflict while another import runs, invalid, folder_not_found.
func (s *Imports) ImportConversations(ctx context.Context, req ConversationsFilter) (ImportJob, error) {
	if _, _, err := req.check(); err != nil {
		return ImportJob{}, err
	}
	if err := s.store.Meta.Set(ctx, answeredKey, "1"); err != nil {
		return ImportJob{}, err
	}
	ctx, cancel := context.WithCancel(s.work.Context())
	if !s.job.begin(cancel) {
		cancel()
		return ImportJob{}, fault.New(fault.Conflict, "An import is already in progress.")
	}
	s.work.Go(func() {
		defer cancel()
		report, err := s.conversations(ctx, req, false, func(p ImportProgress) { s.job.change(func(j *ImportJob) { j.Progress = p }) })
		s.job.change(func(j *ImportJob) {
			j.Running, j.Report = false, &report
			if err != nil {
				s.log.Warn().Err(err).Msg("an import of conversations ended early")
				j.Error = failure.Of(err).Message
			}
		})
	})
	return s.State(), nil
}

// Conversations imports conversations of other programs and waits for the end, as [Importer.Conversations] does. Spaces that are made show at once.
func (s *Imports) Conversations(ctx context.Context, filter ConversationsFilter, dryRun bool) (ConversationsReport, error) {
	return s.conversations(ctx, filter, dryRun, nil)
}

func (s *Imports) conversations(ctx context.Context, filter ConversationsFilter, dryRun bool, progress func(ImportProgress)) (ConversationsReport, error) {
	s.one.Lock()
	defer s.one.Unlock()
	return s.importer().Conversations(ctx, filter, dryRun, progress)
}

// State returns the import that runs or ran last.
func (s *Imports) State() ImportJob {
	s.job.mu.Lock()
	defer s.job.mu.Unlock()
	return s.job.state
}

// ImportState returns the import that runs or ran last, as the event `imports` has it.
func (s *Imports) ImportState(context.Context, command.None) (ImportJob, error) {
	return s.State(), nil
}

// CancelImport stops the import that runs. What was imported until then stays.
func (s *Imports) CancelImport(context.Context, command.None) (ImportJob, error) {
	s.job.mu.Lock()
	if s.job.cancel != nil && s.job.state.Running {
		s.job.cancel()
	}
	s.job.mu.Unlock()
	return s.State(), nil
}
