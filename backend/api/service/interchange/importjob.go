package interchange

import (
	"context"
	"sync"

	"weft/backend/agent/failure"
	"weft/backend/base/command"
	"weft/backend/base/fault"
)

// ImportJob is the import in progress from other programs, or the last one since the start.
type ImportJob struct {
	Running  bool                 `json:"running"`
	Progress ImportProgress       `json:"progress"`
	Report   *ConversationsReport `json:"report"` // null while it runs, or if there was none
	Error    string               `json:"error"`  // why it ended early, as a sentence; "" if it didn't
}

// importJob is the current or last import.
type importJob struct {
	told func()

	mu     sync.Mutex
	state  ImportJob
	cancel context.CancelFunc
}

// change changes the state and reports it.
func (j *importJob) change(f func(s *ImportJob)) {
	j.mu.Lock()
	f(&j.state)
	j.mu.Unlock()
	j.tell()
}

func (j *importJob) tell() {
	if j.told != nil {
		j.told()
	}
}

// begin starts an import unless one is in progress, and reports whether it did.
func (j *importJob) begin(cancel context.CancelFunc) bool {
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

// FoundConversations lists conversations of other programs on this machine.
type FoundConversations struct {
	Programs []FoundProgram `json:"programs"`
	// Offer is set if nothing was imported and the user was never asked whether to import them.
	Offer bool `json:"offer"`
}

// answeredKey is the key in meta that records that the user was asked about importing.
const answeredKey = "imports:answered"

// FindConversations counts the conversations that other programs have stored on this machine, without reading them.
func (s *Imports) FindConversations(ctx context.Context, _ command.None) (FoundConversations, error) {
	list, err := s.importer().find(ctx)
	if err != nil {
		return FoundConversations{}, err
	}
	_, answered, err := s.store.Meta.Get(ctx, answeredKey)
	return FoundConversations{Programs: list, Offer: !answered}, err
}

// DeclineImport records that the user doesn't want to be asked about importing conversations.
func (s *Imports) DeclineImport(ctx context.Context, _ command.None) (command.None, error) {
	return command.None{}, s.store.Meta.Set(ctx, answeredKey, "1")
}

// ImportConversations starts importing conversations of other programs. Each is imported once; later imports add only
// new messages. It doesn't wait for the end: the event `imports` reports the progress. Errors: conflict while another
// import runs, invalid, folder_not_found.
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

// Conversations imports conversations of other programs like [Importer.Conversations] and waits for the end. New spaces
// appear at once.
func (s *Imports) Conversations(ctx context.Context, filter ConversationsFilter, dryRun bool) (ConversationsReport, error) {
	return s.conversations(ctx, filter, dryRun, nil)
}

func (s *Imports) conversations(ctx context.Context, filter ConversationsFilter, dryRun bool, progress func(ImportProgress)) (ConversationsReport, error) {
	s.one.Lock()
	defer s.one.Unlock()
	return s.importer().Conversations(ctx, filter, dryRun, progress)
}

// State returns the current or last import.
func (s *Imports) State() ImportJob {
	s.job.mu.Lock()
	defer s.job.mu.Unlock()
	return s.job.state
}

// ImportState returns the current or last import, as in the event `imports`.
func (s *Imports) ImportState(context.Context, command.None) (ImportJob, error) {
	return s.State(), nil
}

// CancelImport stops the import. Conversations imported until then stay.
func (s *Imports) CancelImport(context.Context, command.None) (ImportJob, error) {
	s.job.mu.Lock()
	if s.job.cancel != nil && s.job.state.Running {
		s.job.cancel()
	}
	s.job.mu.Unlock()
	return s.State(), nil
}
