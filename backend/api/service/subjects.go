package service

import (
	"context"
	"time"

	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/agent/agentproc"
	"weft/backend/api/service/agents"
	"weft/backend/api/service/app"
	"weft/backend/api/service/changes"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/files"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/searches"
	"weft/backend/api/service/secrets"
	"weft/backend/api/service/spaces"
	"weft/backend/api/service/tools"
	"weft/backend/changes/review"
	"weft/backend/conversation/follow"
	"weft/backend/files/finder"
	"weft/backend/llm/modelproxy"
	"weft/backend/permission"
	"weft/backend/settings"
	"weft/backend/settings/secret"
	"weft/backend/space/mentions"
	"weft/backend/space/runs"
	"weft/backend/space/team"
	"weft/backend/space/turn"
	"weft/backend/store"
	"weft/backend/store/relay"
)

// core has the shared state of the subjects.
type core struct {
	store         *store.Store
	settings      *settings.File
	agentRegistry *agent.Registry
	runs          *runs.Manager
	relay         *relay.Relay
	news          *app.Publisher
	work          *jobs.Work
	problems      *app.Problems
	reviews       *review.Reviews
	finder        *finder.Finder
	modelProxy    *modelproxy.Proxy
}

// spaceSubjects are the subjects about spaces.
type spaceSubjects struct {
	spaces      *spaces.Spaces
	branches    *conversation.Branches
	prompts     *conversation.Prompts
	attachments *conversation.Attachments
	files       *files.Files
	transcripts *conversation.Transcripts
	requests    *conversation.Requests
	changes     *changes.Changes
	trees       *spaces.Worktrees
	imports     *interchange.Imports
	searches    *searches.Searches
	exports     *interchange.Exports
	tools       *tools.OwnServer
	order       *spaces.Order
	drafts      *spaces.Drafts
}

// appSubjects are the subjects about the app, and about agents outside spaces.
type appSubjects struct {
	agents     *agents.Agents
	appearance *app.AppearanceSettings
	backups    *interchange.Backups
	editors    *files.Editors
	installs   *agents.Installs
	models     *agents.Models
	servers    *tools.UserServers
	secrets    *secrets.Keeper
	rules      *permissions.Rules
	signIns    *agents.SignIns
	tests      *jobs.Tests
	updates    *app.Updates
}

// makeSubjects creates and connects the subjects. A subject that needs a later one gets a function that returns it.
func (s *Service) makeSubjects(vault *secret.Store) {
	opt := s.opt
	s.tests = &jobs.Tests{}
	s.secrets = secrets.New(secrets.Options{
		Settings: s.settings, Secrets: vault, Meta: s.store.Meta, Log: opt.Log,
		Read: func(ctx context.Context, ref string) (string, error) { return s.runs.Secret(ctx, ref) },
	})
	s.servers = tools.NewUserServers(tools.UserServerOptions{
		Settings: s.settings, Secrets: s.secrets, Tests: s.tests,
		Changed: func() { s.news.Send(MCPServersEvent{}) }, Version: opt.Version, DataDir: opt.DataDir,
	})
	s.models = agents.NewModels(s.settings, s.secrets, s.tests)
	s.appearance = app.NewAppearanceSettings(s.settings)
	s.backups = interchange.NewBackups(interchange.BackupOptions{
		DataDir: opt.DataDir, Settings: s.settings, Redactor: s.secrets.Redactor(), Version: opt.Version, Commits: func() int64 { return s.store.Stats().Commits }, Now: time.Now,
		Changed: func() { s.news.Send(BackupsEvent{}) }, Log: opt.Log,
	})
	s.updates = app.NewUpdates(app.UpdateOptions{
		Source: opt.Updates.Source, Place: opt.Updates.Place, Restart: opt.Updates.Restart, Version: opt.Version, DataDir: opt.DataDir, Settings: s.settings,
		Busy: func() bool {
			n, err := working(s.work.Context(), s)
			return n > 0 || err != nil
		},
		Changed: func() { s.news.Send(UpdatesEvent{}) }, Now: time.Now, Log: opt.Log,
	})
	s.editors = files.NewEditors(s.store, s.settings)
	s.searches = searches.New(s.store, s.agentRegistry, s.settings)
	s.tools = tools.OpenOwnServer(tools.OwnServerOptions{
		Store: s.store, Settings: s.settings, Runs: func() *runs.Manager { return s.runs }, Problems: s.problems, Servers: s.servers,
		Searches: s.searches, Looks: s.appearance.Looks, Changed: func() { s.news.Send(MCPServersEvent{}) }, DataDir: opt.DataDir, Version: opt.Version, Log: opt.Log,
	})
	s.modelProxy = modelproxy.New(opt.Log)
	s.runs = runs.NewManager(runs.Options{
		Store: s.store, Rules: func() *permission.Set { return s.rules.Set() }, Agent: s.agentRegistry.Get,
		MCPServers: func() []settings.MCPServer { return s.settings.Get().MCPServers }, Secrets: vault, Gateway: s.tools.Session, GateTool: s.tools.Tool,
		ModelProxy: s.modelProxy, MentionLimits: func() mentions.Limits { return mentionLimits(s.settings.Get()) }, OnAgents: func() { s.work.Go(s.publishAgents) },
		Space:    func(ctx context.Context, id string) (team.Space, error) { return s.spaces.ForRuns(ctx, id) },
		OnChange: s.spaceChanged, OnTitle: func(spaceID, title string) { s.spaces.TitleByAgent(spaceID, title) }, OnPlace: func(spaceID string, p follow.Place) { s.news.Send(PlaceEvent{SpaceID: spaceID, Place: p}) },
		OnTrouble: s.storageTrouble, Private: agentproc.Private{DataDir: opt.DataDir, Settings: s.settings.Path()}, Version: opt.Version, Log: opt.Log, Limits: opt.Limits,
		Watch: turn.Watch{BeforeTurn: s.reviews.Watcher.BeforeTurn, AfterTurn: s.reviews.Watcher.AfterTurn, Write: s.reviews.Watcher.Write, Tool: s.reviews.Watcher.Tool},
	})
	s.rules = permissions.New(permissions.Options{Store: s.store, Agents: s.agentRegistry, Runs: s.runs, Changed: func() { s.news.Send(PermissionRulesEvent{}) }})
	s.trees = spaces.NewWorktrees(spaces.WorktreeOptions{
		Store: s.store, Runs: s.runs, Reviews: s.reviews, DataDir: opt.DataDir, Changed: s.spaceChanged,
	})
	s.changes = changes.New(s.reviews, s.store)
	s.signIns = agents.NewSignIns(s.store, s.settings, s.agentRegistry, s.runs, s.secrets, s.tests, agentauth.NewTerminals(agentauth.TerminalOptions{
		PidDir: agentproc.PidDir(opt.DataDir), Environment: s.runs.Environment, Log: opt.Log,
	}))
	s.installs = agents.NewInstalls(agents.InstallOptions{
		Store: s.store, Settings: s.settings, Agents: s.agentRegistry, Runs: s.runs, Work: s.work, DataDir: opt.DataDir, Log: opt.Log,
		ListChanged: func() { s.news.Send(RegistryEvent{}) }, JobsChanged: s.publishInstalls, SpaceChanged: s.spaceChanged,
	})
	s.agents = agents.New(agents.Options{
		Settings: s.settings, Registry: s.agentRegistry, Runs: s.runs, Secrets: s.secrets, Models: s.models, Tests: s.tests, Installs: s.installs,
		Work: s.work, Changed: s.publishAgents,
	})
	s.spaces = spaces.New(spaces.Options{
		Store: s.store, Settings: s.settings, Agents: s.agentRegistry, Runs: s.runs, Reviews: s.reviews, Rules: s.rules, Trees: s.trees, Work: s.work,
		DataDir: opt.DataDir, Log: opt.Log, Changed: s.spaceChanged, Deleted: s.spaceDeleted,
	})
	s.order = spaces.NewOrder(s.store, s.spaceChanged, publishOrder(s))
	s.drafts = spaces.NewDrafts(s.store, s.spaceChanged, func(change spaces.DraftChange) { s.news.Send(DraftEvent(change)) })
	s.attachments = conversation.NewAttachments(s.store, s.runs, s.finder, opt.DataDir, opt.Log)
	s.files = files.New(s.store, s.runs, s.finder)
	s.prompts = conversation.NewPrompts(s.store, s.runs, s.spaces, s.attachments, s.tools)
	s.branches = conversation.NewBranches(conversation.BranchOptions{
		Store: s.store, Runs: s.runs, Reviews: s.reviews, Spaces: s.spaces, Prompts: s.prompts, Attachments: s.attachments, Work: s.work, Log: opt.Log,
		Changed: s.spaceChanged, Reviewed: s.changesChanged,
	})
	s.transcripts = conversation.NewTranscripts(s.store, s.runs, s.spaces, s.appearance.Looks, opt.Log)
	s.requests = conversation.NewRequests(s.runs)
	s.exports = interchange.NewExports(s.store, s.secrets, func(p interchange.ExportProgress) { s.news.Send(ExportEvent{Export: p}) })
	s.imports = interchange.NewImports(interchange.ImportNeeds{
		Store: s.store, Agents: s.agentRegistry, Runs: s.runs, Spaces: s.spaces, Tests: s.tests, Work: s.work, DataDir: opt.DataDir, Log: opt.Log,
		Changed: s.spaceChanged, Told: func() {
			s.news.Tell("imports", func() app.Event { return ImportsEvent{Import: s.imports.State()} })
		},
	})
}

// mentionLimits returns the limits for agents that ask each other.
func mentionLimits(now settings.Settings) mentions.Limits {
	m := now.Mentions
	return mentions.Limits{Depth: m.Depth, Runs: m.Runs, Time: time.Duration(m.Minutes) * time.Minute}
}
