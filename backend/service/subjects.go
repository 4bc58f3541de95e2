package service

import (
	"context"
	"path/filepath"
	"sync"

	"weft/backend/agent"
	"weft/backend/agentauth"
	"weft/backend/finder"
	"weft/backend/gateway"
	"weft/backend/modelproxy"
	"weft/backend/permission"
	"weft/backend/relay"
	"weft/backend/review"
	"weft/backend/runs"
	"weft/backend/secret"
	"weft/backend/service/agents"
	"weft/backend/service/background"
	"weft/backend/service/changes"
	"weft/backend/service/installs"
	"weft/backend/service/mcpservers"
	"weft/backend/service/models"
	"weft/backend/service/news"
	"weft/backend/service/problems"
	"weft/backend/service/rules"
	"weft/backend/service/secrets"
	"weft/backend/service/signin"
	"weft/backend/service/trials"
	"weft/backend/service/worktrees"
	"weft/backend/settings"
	"weft/backend/store"
)

// core is what the subjects share.
type core struct {
	store         *store.Store
	settings      *settings.File
	agentRegistry *agent.Registry
	runs          *runs.Manager
	relay         *relay.Relay
	news          *news.Publisher
	work          *background.Work
	problems      *problems.Problems
	review        *review.Room
	finder        *finder.Finder
	modelProxy    *modelproxy.Proxy
	gateway       *gateway.Gateway // nil if it could not be opened
}

// spaceSubjects are about spaces.
type spaceSubjects struct {
	trees     *worktrees.Worktrees
	changes   *changes.Changes
	importing sync.Mutex // one import at a time: none is made twice
}

// appSubjects are about the app, and about agents outside of spaces.
type appSubjects struct {
	agents   *agents.Agents
	installs *installs.Installs
	models   *models.Models
	servers  *mcpservers.Servers
	secrets  *secrets.Keeper
	rules    *rules.Rules
	signIns  *signin.SignIns
	trials   *trials.Trials
}

// makeSubjects makes the subjects and connects them. What needs one that is made later is given a function that returns it.
func (s *Service) makeSubjects(vault *secret.Store) {
	opt := s.opt
	s.trials = &trials.Trials{}
	s.secrets = secrets.New(secrets.Options{
		Settings: s.settings, Secrets: vault, Meta: s.store.Meta, Log: opt.Log,
		Read: func(ctx context.Context, ref string) (string, error) { return s.runs.Secret(ctx, ref) },
	})
	s.servers = mcpservers.New(mcpservers.Options{
		Settings: s.settings, Secrets: s.secrets, Trials: s.trials, Gateway: func() *gateway.Gateway { return s.gateway },
		Changed: func() { s.news.Send(MCPServersEvent{}) }, Version: opt.Version, DataDir: opt.DataDir,
	})
	s.models = models.New(s.settings, s.secrets, s.trials)
	s.openGateway()
	s.modelProxy = modelproxy.New(opt.Log)
	s.runs = runs.NewManager(runs.Options{
		Store: s.store, Rules: func() *permission.Set { return s.rules.Set() }, Agent: s.agentRegistry.Get,
		MCPServers: func() []settings.MCPServer { return s.settings.Get().MCPServers }, Secrets: vault, Gateway: s.gatewaySession, GateTool: s.gateTool,
		ModelProxy: s.modelProxy, MentionLimits: s.mentionLimits, OnAgents: func() { s.work.Go(s.publishAgents) }, Space: s.runSpace, OnChange: s.spaceChanged,
		OnTrouble: s.storageTrouble, OnTitle: s.agentTitle, OnPlace: s.placeChanged, DataDir: opt.DataDir, Version: opt.Version, Log: opt.Log, Limits: opt.Limits,
		Watch: runs.Watch{BeforeTurn: s.review.BeforeTurn, AfterTurn: s.review.AfterTurn, Write: s.review.Write, Tool: s.review.Tool},
	})
	s.rules = rules.New(rules.Options{Store: s.store, Agents: s.agentRegistry, Runs: s.runs, Changed: func() { s.news.Send(PermissionRulesEvent{}) }})
	s.trees = worktrees.New(worktrees.Options{
		Store: s.store, Runs: s.runs, Review: s.review, DataDir: opt.DataDir, Changed: s.spaceChanged,
		Works: func(spaceID string) bool { return s.works(spaceID, "") },
	})
	s.changes = changes.New(s.review)
	s.signIns = signin.New(s.store, s.settings, s.agentRegistry, s.runs, s.secrets, s.trials, agentauth.NewTerminals(agentauth.TerminalOptions{
		PidDir: filepath.Join(opt.DataDir, "processes"), Environment: s.runs.Environment, Log: opt.Log,
	}))
	installer := installs.NewInstaller(opt.DataDir)
	s.installs = installs.New(installs.Options{
		Store: s.store, Settings: s.settings, Agents: s.agentRegistry, Runs: s.runs, Installer: installer, Work: s.work, DataDir: opt.DataDir, Log: opt.Log,
		ListChanged: func() { s.news.Send(RegistryEvent{}) }, JobsChanged: s.publishInstalls, SpaceChanged: s.spaceChanged,
	})
	s.agents = agents.New(agents.Options{
		Settings: s.settings, Registry: s.agentRegistry, Runs: s.runs, Secrets: s.secrets, Models: s.models, Trials: s.trials, Installer: installer,
		Work: s.work, Changed: s.publishAgents, Removed: s.installs.RetireUnused,
	})
}
