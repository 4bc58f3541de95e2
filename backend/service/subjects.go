package service

import (
	"context"
	"time"

	"weft/backend/agent"
	"weft/backend/agentauth"
	"weft/backend/agentproc"
	"weft/backend/finder"
	"weft/backend/follow"
	"weft/backend/gateway"
	"weft/backend/mentions"
	"weft/backend/modelproxy"
	"weft/backend/permission"
	"weft/backend/relay"
	"weft/backend/review"
	"weft/backend/runs"
	"weft/backend/secret"
	"weft/backend/service/agents"
	"weft/backend/service/appearance"
	"weft/backend/service/attachments"
	"weft/backend/service/background"
	"weft/backend/service/backups"
	"weft/backend/service/branches"
	"weft/backend/service/changes"
	"weft/backend/service/drafts"
	"weft/backend/service/editors"
	"weft/backend/service/exports"
	"weft/backend/service/files"
	"weft/backend/service/imports"
	"weft/backend/service/installs"
	"weft/backend/service/mcpservers"
	"weft/backend/service/members"
	"weft/backend/service/models"
	"weft/backend/service/news"
	"weft/backend/service/order"
	"weft/backend/service/problems"
	"weft/backend/service/prompts"
	"weft/backend/service/requests"
	"weft/backend/service/rules"
	"weft/backend/service/searches"
	"weft/backend/service/secrets"
	"weft/backend/service/signin"
	"weft/backend/service/spaces"
	"weft/backend/service/toolserver"
	"weft/backend/service/transcripts"
	"weft/backend/service/trials"
	"weft/backend/service/updates"
	"weft/backend/service/worktrees"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/team"
	"weft/backend/turn"
)

// core has the shared state of the subjects.
type core struct {
	store         *store.Store
	settings      *settings.File
	agentRegistry *agent.Registry
	runs          *runs.Manager
	relay         *relay.Relay
	news          *news.Publisher
	work          *background.Work
	problems      *problems.Problems
	reviews       *review.Reviews
	finder        *finder.Finder
	modelProxy    *modelproxy.Proxy
}

// spaceSubjects are the subjects about spaces.
type spaceSubjects struct {
	spaces      *spaces.Spaces
	members     *members.Members
	branches    *branches.Branches
	prompts     *prompts.Prompts
	attachments *attachments.Attachments
	files       *files.Files
	transcripts *transcripts.Transcripts
	requests    *requests.Requests
	changes     *changes.Changes
	trees       *worktrees.Worktrees
	imports     *imports.Imports
	searches    *searches.Searches
	exports     *exports.Exports
	tools       *toolserver.Server
	order       *order.Order
	drafts      *drafts.Drafts
}

// appSubjects are the subjects about the app, and about agents outside spaces.
type appSubjects struct {
	agents     *agents.Agents
	appearance *appearance.Settings
	backups    *backups.Backups
	editors    *editors.Editors
	installs   *installs.Installs
	models     *models.Models
	servers    *mcpservers.Servers
	secrets    *secrets.Keeper
	rules      *rules.Rules
	signIns    *signin.SignIns
	trials     *trials.Trials
	updates    *updates.Updates
}

// makeSubjects creates and connects the subjects. A subject that needs a later one gets a function that returns it.
func (s *Service) makeSubjects(vault *secret.Store) {
	opt := s.opt
	s.trials = &trials.Trials{}
	s.secrets = secrets.New(secrets.Options{
		Settings: s.settings, Secrets: vault, Meta: s.store.Meta, Log: opt.Log,
		Read: func(ctx context.Context, ref string) (string, error) { return s.runs.Secret(ctx, ref) },
	})
	s.servers = mcpservers.New(mcpservers.Options{
		Settings: s.settings, Secrets: s.secrets, Trials: s.trials, Gateway: func() *gateway.Gateway { return s.tools.Gateway() },
		Changed: func() { s.news.Send(MCPServersEvent{}) }, Version: opt.Version, DataDir: opt.DataDir,
	})
	s.models = models.New(s.settings, s.secrets, s.trials)
	s.appearance = appearance.New(s.settings)
	s.backups = backups.New(backups.Options{
		DataDir: opt.DataDir, Settings: s.settings, Redactor: s.secrets.Redactor(), Version: opt.Version, Commits: func() int64 { return s.store.Stats().Commits }, Now: time.Now,
		Changed: func() { s.news.Send(BackupsEvent{}) }, Log: opt.Log,
	})
	s.updates = updates.New(updates.Options{
		Source: opt.Updates.Source, Place: opt.Updates.Place, Restart: opt.Updates.Restart, Version: opt.Version, DataDir: opt.DataDir, Settings: s.settings,
		Busy: func() bool {
			n, err := working(s.work.Context(), s)
			return n > 0 || err != nil
		},
		Changed: func() { s.news.Send(UpdatesEvent{}) }, Now: time.Now, Log: opt.Log,
	})
	s.editors = editors.New(s.store, s.settings)
	s.tools = toolserver.Open(toolserver.Options{
		Store: s.store, Settings: s.settings, Runs: func() *runs.Manager { return s.runs }, Problems: s.problems, Proxied: s.servers.Proxied,
		Searches: func() *searches.Searches { return s.searches }, Looks: s.appearance.Looks, Changed: func() { s.news.Send(MCPServersEvent{}) }, DataDir: opt.DataDir, Version: opt.Version, Log: opt.Log,
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
	s.rules = rules.New(rules.Options{Store: s.store, Agents: s.agentRegistry, Runs: s.runs, Changed: func() { s.news.Send(PermissionRulesEvent{}) }})
	s.trees = worktrees.New(worktrees.Options{
		Store: s.store, Runs: s.runs, Reviews: s.reviews, DataDir: opt.DataDir, Changed: s.spaceChanged,
		Works: func(spaceID string) bool { return s.spaces.Works(spaceID, "") },
	})
	s.changes = changes.New(s.reviews, s.store)
	s.signIns = signin.New(s.store, s.settings, s.agentRegistry, s.runs, s.secrets, s.trials, agentauth.NewTerminals(agentauth.TerminalOptions{
		PidDir: agentproc.PidDir(opt.DataDir), Environment: s.runs.Environment, Log: opt.Log,
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
	s.members = members.New(s.agentRegistry, s.settings)
	s.spaces = spaces.New(spaces.Options{
		Store: s.store, Agents: s.agentRegistry, Runs: s.runs, Reviews: s.reviews, Rules: s.rules, Trees: s.trees, Members: s.members, Work: s.work,
		DataDir: opt.DataDir, Log: opt.Log, Changed: s.spaceChanged, Deleted: s.spaceDeleted,
	})
	s.order = order.New(s.store, s.spaceChanged, publishOrder(s))
	s.drafts = drafts.New(s.store, s.spaceChanged, func(change drafts.DraftChange) { s.news.Send(DraftEvent(change)) })
	s.attachments = attachments.New(s.store, s.runs, s.finder, opt.DataDir, opt.Log)
	s.searches = searches.New(s.store, s.agentRegistry, s.settings)
	s.files = files.New(s.store, s.runs, s.finder)
	s.prompts = prompts.New(s.store, s.runs, s.spaces, s.attachments, s.tools)
	s.branches = branches.New(branches.Options{
		Store: s.store, Runs: s.runs, Reviews: s.reviews, Spaces: s.spaces, Prompts: s.prompts, Attachments: s.attachments, Work: s.work, Log: opt.Log,
		Changed: s.spaceChanged, Reviewed: s.changesChanged,
	})
	s.transcripts = transcripts.New(s.store, s.runs, s.spaces, s.appearance.Looks, opt.Log)
	s.requests = requests.New(s.runs)
	s.exports = exports.New(exports.Needs{
		Store: s.store, Redactor: s.secrets.Redactor(), ReadAll: s.secrets.ReadAll, Flush: s.store.Events.Flush,
		Report: func(p exports.Progress) { s.news.Send(ExportEvent{Export: p}) },
	})
	s.imports = imports.New(imports.Needs{
		Store: s.store, Agents: s.agentRegistry, Runs: s.runs, Spaces: s.spaces, Trials: s.trials, Work: s.work, DataDir: opt.DataDir, Log: opt.Log,
		Changed: s.spaceChanged, Told: func() {
			s.news.Tell("imports", func() news.Event { return ImportsEvent{Import: s.imports.State()} })
		},
	})
}

// mentionLimits returns the limits for agents that ask each other.
func mentionLimits(now settings.Settings) mentions.Limits {
	m := now.Mentions
	return mentions.Limits{Depth: m.Depth, Runs: m.Runs, Time: time.Duration(m.Minutes) * time.Minute}
}
