package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/command"
	"weft/backend/finder"
	"weft/backend/gateway"
	"weft/backend/modelproxy"
	"weft/backend/permission"
	"weft/backend/private"
	"weft/backend/registry"
	"weft/backend/registry/install"
	"weft/backend/relay"
	"weft/backend/review"
	"weft/backend/runs"
	"weft/backend/secret"
	"weft/backend/service/changes"
	"weft/backend/service/mcpservers"
	"weft/backend/service/models"
	"weft/backend/service/news"
	"weft/backend/service/rules"
	"weft/backend/service/secrets"
	"weft/backend/service/signin"
	"weft/backend/service/trials"
	"weft/backend/service/worktrees"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// Options is what a service is made with.
type Options struct {
	DataDir      string // made if it is not there
	SettingsPath string // empty: the usual place
	Mode         string // window or serve
	Version      string
	Log          zerolog.Logger
	Limits       runs.Limits // for tests; the zero value is good
	// Redactor is told the secrets that are kept or read; the log that Log writes to may use it. Nil: one
	// of the service's own.
	Redactor *secret.Redactor
}

// Service holds the rooms of a running Weft.
type Service struct {
	opt        Options
	startedAt  int64 // unix ms
	store      *store.Store
	settings   *settings.File
	agents     *agent.Registry
	runs       *runs.Manager
	relay      *relay.Relay
	rules      *rules.Rules
	servers    *mcpservers.Servers
	models     *models.Models
	review     *review.Room
	trees      *worktrees.Worktrees
	changes    *changes.Changes
	signIns    *signin.SignIns
	finder     *finder.Finder
	registry   *registry.Room
	installer  *install.Installer
	installs   installs
	commands   map[string]command.Command
	trials     *trials.Trials
	importing  sync.Mutex // one import at a time: none is made twice
	vault      *secret.Store
	secrets    *secrets.Keeper
	gateway    *gateway.Gateway // nil if it could not be opened
	modelProxy *modelproxy.Proxy

	mu       sync.Mutex
	problems map[string]Problem // by where they come from
	stop     context.CancelFunc
	ctx      context.Context //nolint:containedctx // the life of the service, for work that outlasts a command
	tasks    sync.WaitGroup
	news     *news.Publisher
}

// DefaultDataDir is the folder for the database and the logs in the usual place of the OS.
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

// Open starts everything but a face. It blocks for the database (see [store.Open]) and
// answers its errors.
func Open(ctx context.Context, opt Options) (*Service, error) {
	s := &Service{opt: opt, startedAt: time.Now().UnixMilli(), relay: relay.New(), finder: finder.New(time.Now), problems: map[string]Problem{}}
	s.news = news.New(s.relay, opt.Log)
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	var recovery *store.Recovery
	if err := private.Tidy(opt.DataDir); err != nil {
		opt.Log.Warn().Err(err).Msg("other users of the machine may be able to read some files of the data folder")
	}
	s.store, recovery, err = store.Open(ctx, opt.DataDir, store.Options{Log: opt.Log, OnCommit: s.committed})
	if err != nil {
		return nil, err
	}
	if recovery != nil {
		s.setProblem("database", &Problem{Code: "recovered", Message: recovery.Message, Path: recovery.Aside})
	}
	s.vault = secret.Open(secret.Options{Dir: opt.DataDir, Redactor: opt.Redactor})
	if s.settings, err = settings.Open(opt.SettingsPath, opt.Log); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	if err = s.openReview(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	s.agents = agent.NewRegistry(s.settings, nil)
	s.trials = &trials.Trials{}
	s.secrets = secrets.New(secrets.Options{
		Settings: s.settings, Secrets: s.vault, Meta: s.store.Meta, Log: opt.Log,
		Read: func(ctx context.Context, ref string) (string, error) { return s.runs.Secret(ctx, ref) },
	})
	s.servers = mcpservers.New(mcpservers.Options{
		Settings: s.settings, Secrets: s.secrets, Trials: s.trials, Gateway: func() *gateway.Gateway { return s.gateway },
		Changed: func() { s.news.Send(MCPServersEvent{}) }, Version: opt.Version, DataDir: opt.DataDir,
	})
	s.models = models.New(s.settings, s.secrets, s.trials)
	s.openGateway()
	s.modelProxy = modelproxy.New(s.opt.Log)
	s.runs = runs.NewManager(runs.Options{
		Store: s.store, Rules: func() *permission.Set { return s.rules.Set() }, Agent: s.agents.Get, MCPServers: func() []settings.MCPServer { return s.settings.Get().MCPServers }, Secrets: s.vault, Gateway: s.gatewaySession, GateTool: s.gateTool, ModelProxy: s.modelProxy, Chains: s.chains, OnAgents: func() { s.tasks.Go(s.publishAgents) }, Space: s.runSpace, OnChange: s.spaceChanged,
		OnTrouble: s.storageTrouble, OnTitle: s.agentTitle, OnPlace: s.placeChanged, DataDir: opt.DataDir, Version: opt.Version, Log: opt.Log, Limits: opt.Limits,
		Watch: runs.Watch{BeforeTurn: s.review.BeforeTurn, AfterTurn: s.review.AfterTurn, Write: s.review.Write, Tool: s.review.Tool},
	})
	s.rules = rules.New(rules.Options{Store: s.store, Agents: s.agents, Runs: s.runs, Changed: func() { s.news.Send(PermissionRulesEvent{}) }})
	s.trees = worktrees.New(worktrees.Options{
		Store: s.store, Runs: s.runs, Review: s.review, DataDir: opt.DataDir, Changed: s.spaceChanged,
		Works: func(spaceID string) bool { return s.works(spaceID, "") },
	})
	s.changes = changes.New(s.review)
	s.signIns = signin.New(s.store, s.settings, s.agents, s.runs, s.secrets, s.trials)
	s.openRegistry()
	if err := s.rules.Load(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	if err := s.trees.Load(ctx); err != nil {
		return nil, errors.Join(err, s.store.Close(ctx))
	}
	s.register()
	if err := s.runs.Recover(ctx); err != nil {
		opt.Log.Error().Err(err).Msg("interrupted runs could not be closed")
	}
	if err := s.dropUploads(ctx); err != nil {
		opt.Log.Error().Err(err).Msg("attachments that were not sent could not be let go of")
	}
	s.settings.Subscribe(s.settingsChanged)
	s.settingsProblem(s.settings.Problem())
	s.agents.Subscribe(func([]agent.Config) { s.publishAgents() })
	old := s.secrets.Forgotten(ctx)
	s.tasks.Go(func() { s.lookAround(old) })
	return s, nil
}

// lookAround does what may take a while after the start; forgotten are secrets that an earlier one has left to be deleted.
func (s *Service) lookAround(forgotten []string) {
	if swept, err := agent.Sweep(filepath.Join(s.opt.DataDir, "processes")); err != nil || len(swept) > 0 {
		s.opt.Log.Info().Err(err).Strs("commands", swept).Msg("ended what was left of agents of an earlier start")
	}
	if err := s.runs.Recall(s.ctx); err != nil && s.ctx.Err() == nil {
		s.opt.Log.Warn().Err(err).Msg("displays that wait could not be looked for")
	}
	s.purgeDeleted()
	s.tidyReview()
	s.secrets.TidyForgotten(s.ctx, func(ref string) bool { return slices.Contains(forgotten, ref) })
	s.tidyAgents()
	if err := s.agents.Rescan(s.ctx); err != nil && s.ctx.Err() == nil {
		s.opt.Log.Warn().Err(err).Msg("agents could not be looked for")
	}
}

// Rules are the user's rules about permissions, with what was decided.
func (s *Service) Rules() *rules.Rules { return s.rules }

// Relay hands out the events.
func (s *Service) Relay() *relay.Relay { return s.relay }

// Store is what has been kept, for the faces to read blobs and events from.
func (s *Service) Store() *store.Store { return s.store }

// DataDir is the folder that the service has open.
func (s *Service) DataDir() string { return s.opt.DataDir }

// Close ends all runs and processes, then closes the database. It blocks for seconds at
// worst.
func (s *Service) Close(ctx context.Context) error {
	s.stop()
	s.trials.StopAll()
	err := s.runs.Close(ctx)
	err = errors.Join(err, s.closeGateway(ctx), s.modelProxy.Close(ctx))
	s.finder.Close()
	s.agents.Close()
	s.settings.Close()
	s.tasks.Wait()
	err = errors.Join(err, s.review.Close())
	s.relay.Close()
	return errors.Join(err, s.store.Close(ctx))
}

func (s *Service) committed(spaceID string, events []transcript.Event) {
	s.relay.Publish(relay.SpaceTopic(spaceID), events)
	for i := range events {
		switch events[i].Body.(type) {
		case *transcript.MessageStart, *transcript.RunCreated, *transcript.RunCompleted, *transcript.PermissionRequest, *transcript.PermissionResolved:
			s.spaceChanged(spaceID)
			return
		}
	}
}

func (s *Service) runSpace(ctx context.Context, id string) (runs.Space, error) {
	sp, err := s.store.Spaces.Get(ctx, id)
	if err != nil {
		return runs.Space{}, err
	}
	out := runs.Space{ID: sp.ID, Folder: sp.Folder, Mode: permission.Mode(sp.Permissions)}
	for _, m := range sp.Members {
		member := runs.Member{ID: m.ID, Name: s.memberName(m), AgentID: m.AgentID, Role: m.Role, ByTool: m.Speaks == spaces.SpeaksByTool, Default: m.Default}
		if m.Reads == spaces.ReadsJoined {
			member.Since = m.JoinedOrd
		}
		out.Members = append(out.Members, member)
	}
	return out, nil
}

// bounded is a context for work that a command's caller must not be able to cut short.
func (s *Service) bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(s.ctx), 30*time.Second)
}
