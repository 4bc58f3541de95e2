package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/api/service/app"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/permissions"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/base/private"
	"weft/backend/conversation/transcript"
	"weft/backend/desktop/update"
	"weft/backend/files/finder"
	"weft/backend/permission/shell"
	"weft/backend/settings"
	"weft/backend/settings/secret"
	"weft/backend/space/runs"
	"weft/backend/space/unfinished"
	"weft/backend/store"
	"weft/backend/store/relay"
)

// Options configures [Open].
type Options struct {
	DataDir      string // created if missing
	SettingsPath string // empty: the default
	Mode         string // window or serve
	Version      string
	Log          zerolog.Logger
	Limits       runs.Limits // for tests; zero: the defaults
	// Active is called when a command begins and ends, and when events are stored. It may be nil and must not block.
	Active func()
	// Locked is called when the data folder is locked, before the database is opened. It may be nil and must not block.
	Locked func()
	// Quiet is closed when expensive work after the start may begin, such as the search for agents. Nil: at once.
	Quiet <-chan struct{}
	// Redactor gets all secrets that are stored or read; the writer of Log may use it. Nil: the service makes one.
	Redactor *secret.Redactor
	Updates  UpdateOptions
}

// UpdateOptions is the source of newer versions of Weft.
type UpdateOptions struct {
	Source  *update.Source // nil: no update checks
	Place   *update.Place  // where this Weft is installed
	Restart func()         // restarts Weft; nil if it can't
}

// Service is a running Weft: its subjects and their shared state.
type Service struct {
	opt       Options
	startedAt int64 // unix ms
	core
	spaceSubjects
	appSubjects
	commands map[string]command.Command
}

// DefaultDataDir returns the default folder for the database and the logs on this OS.
func DefaultDataDir() (string, error) {
	if runtime.GOOS == "linux" {
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "weft"), nil
		}
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home folder: %w", err)
		}
		return filepath.Join(home, ".local", "share", "weft"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	return filepath.Join(dir, "weft", "data"), nil
}

// Open starts Weft without a window or server. It blocks for the database (see [store.Open]) and returns its errors.
func Open(ctx context.Context, opt Options) (*Service, error) {
	if opt.Active == nil {
		opt.Active = func() {}
	}
	s := &Service{opt: opt, startedAt: time.Now().UnixMilli()}
	s.relay, s.finder, s.work = relay.New(), finder.New(time.Now), jobs.NewWork(ctx)
	s.news = app.NewPublisher(s.relay, opt.Log)
	s.problems = app.NewProblems(func() {
		s.news.Tell("problems", func() app.Event { return ProblemsEvent{Problems: s.problems.List()} })
	})
	if err := private.Tidy(opt.DataDir); err != nil {
		opt.Log.Warn().Err(err).Msg("other users of the machine may be able to read some files of the data folder")
	}
	var recovery *store.Recovery
	var err error
	s.store, recovery, err = store.Open(ctx, opt.DataDir, store.Options{Log: opt.Log, OnCommit: s.committed, OnLock: opt.Locked, TakenBack: update.TakenBack(opt.Updates.Place)})
	if err != nil {
		return nil, err
	}
	if recovery != nil {
		p := recovered(recovery, opt.DataDir)
		s.problems.Set("database", &p)
	}
	vault := secret.Open(secret.Options{Dir: opt.DataDir, Redactor: opt.Redactor})
	if s.settings, err = settings.Open(opt.SettingsPath, opt.Log); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	if err = s.openReview(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	s.agentRegistry = agent.NewRegistry(s.settings, nil)
	s.makeSubjects(vault)
	if err := s.rules.Load(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	if err := s.trees.Load(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	s.commands = byName(Commands(s))
	if err := unfinished.In(s.store, func() int64 { return time.Now().UnixMilli() }).AfterStart(ctx); err != nil {
		opt.Log.Error().Err(err).Msg("interrupted runs could not be closed")
	}
	if err := s.attachments.DropUploads(ctx); err != nil {
		opt.Log.Error().Err(err).Msg("attachments that were not sent could not be deleted")
	}
	s.settings.Subscribe(s.settingsChanged)
	s.problems.Set("settings", settingsProblem(s.settings.Problem()))
	s.agentRegistry.Subscribe(func([]agent.Config) { s.publishAgents() })
	old := s.secrets.Forgotten(ctx)
	s.work.Go(func() { s.startBackground(old) })
	s.backups.Start(ctx)
	s.updates.Start()
	return s, nil
}

// recovered returns the problem that reports a recovered database, and what can be restored instead.
func recovered(from *store.Recovery, dataDir string) app.Problem {
	sentence := from.Sentence
	if last, ok := interchange.LastBackup(dataDir); ok {
		sentence = fault.Say("{{recovered}} If something is missing, restore the backup of {{time}} ({{size}}): close Weft and run “{{command}}”.",
			sentence, fault.At(time.UnixMilli(last.At)), fault.Size(last.Size), shell.Quote([]string{"weft", "restore", last.Path}))
	}
	p := app.ProblemOf("recovered", sentence)
	p.Path = from.Aside
	return p
}

// quietTimeout is the longest wait for [Options.Quiet]: a hidden window may never close it.
const quietTimeout = 5 * time.Second

// startBackground does slow work after the start. forgotten are references of secrets to delete from before this start.
func (s *Service) startBackground(forgotten []string) {
	if s.opt.Quiet != nil {
		select {
		case <-s.opt.Quiet:
		case <-time.After(quietTimeout):
		case <-s.work.Context().Done():
			return
		}
	}
	if swept, err := agent.Sweep(agentproc.PidDir(s.opt.DataDir)); err != nil || len(swept) > 0 {
		s.opt.Log.Info().Err(err).Strs("commands", swept).Msg("ended what was left of agents of an earlier start")
	}
	if err := s.runs.Requests().Recall(s.work.Context()); err != nil && s.work.Context().Err() == nil {
		s.opt.Log.Warn().Err(err).Msg("displays that wait could not be looked for")
	}
	s.spaces.Purge(s.startedAt)
	tidyReview(s)
	s.spaces.RefreshProjects()
	s.secrets.TidyForgotten(s.work.Context(), func(ref string) bool { return slices.Contains(forgotten, ref) })
	s.installs.Tidy()
	if err := s.agentRegistry.Rescan(s.work.Context()); err != nil && s.work.Context().Err() == nil {
		s.opt.Log.Warn().Err(err).Msg("agents could not be looked for")
	}
}

// Rules returns the permission rules and their history.
func (s *Service) Rules() *permissions.Rules { return s.rules }

// Attachments returns the attachments. Uploads are not a command.
func (s *Service) Attachments() *conversation.Attachments { return s.attachments }

// Imports returns the imports. Importing a file is not a command.
func (s *Service) Imports() *interchange.Imports { return s.imports }

// Exports returns the exports. Streaming one is not a command.
func (s *Service) Exports() *interchange.Exports { return s.exports }

// Relay returns the relay of events.
func (s *Service) Relay() *relay.Relay { return s.relay }

// Store returns the store, from which servers read blobs and events.
func (s *Service) Store() *store.Store { return s.store }

// Appearance returns the user's appearance settings.
func (c *core) Appearance() settings.Appearance { return c.settings.Get().Appearance }

// DataDir returns the service's data folder.
func (s *Service) DataDir() string { return s.opt.DataDir }

// Close ends all runs and processes, then closes the database. It blocks for some seconds at most.
func (s *Service) Close(ctx context.Context) error {
	s.work.Stop()
	s.tests.StopAll()
	s.signIns.Close()
	s.backups.Close()
	s.updates.Close()
	err := s.runs.Close(ctx)
	err = errors.Join(err, s.tools.Close(ctx), s.modelProxy.Close(ctx))
	s.finder.Close()
	s.agentRegistry.Close()
	s.settings.Close()
	s.work.Wait()
	err = errors.Join(err, s.reviews.Close())
	s.relay.Close()
	return errors.Join(err, s.store.Close(ctx))
}

func (s *Service) committed(spaceID string, events []transcript.Event) {
	s.opt.Active()
	s.spaces.Rows.Happened(spaceID, events)
	s.relay.Publish(relay.SpaceTopic(spaceID), events)
	for i := range events {
		switch events[i].Body.(type) {
		case *transcript.MessageStart, *transcript.RunCreated, *transcript.RunCompleted, *transcript.PermissionRequest, *transcript.PermissionResolved:
			s.spaceChanged(spaceID)
			return
		}
	}
}
