package service

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings/secret"
)

// none is an empty request or result.
type none = command.None

// Commands returns the commands of s by subject. s may be nil if no command is called: names and types don't depend on
// it.
func Commands(s *Service) []command.Group {
	if s == nil {
		s = &Service{}
	}
	return []command.Group{
		{Title: "Spaces", Commands: []command.Command{
			command.New(s.Bootstrap), command.New(s.spaces.ListSpaces), command.New(s.spaces.CreateSpace), command.New(s.spaces.UpdateSpace),
			command.New(s.spaces.DeleteSpace), command.New(s.spaces.RestoreSpace), command.New(s.spaces.MarkSeen), command.New(s.spaces.AgentCopies),
			command.New(s.branches.Branch), command.New(s.branches.Branches),
		}},
		{Title: "The list of spaces", Commands: []command.Command{
			command.New(s.order.SpaceOrder), command.New(s.order.PinSpaces), command.New(s.order.OrderProjects), command.New(s.order.SaveTag),
			command.New(s.order.RemoveTag), command.New(s.order.TagSpaces), command.New(s.drafts.Draft), command.New(s.drafts.SaveDraft),
		}},
		{Title: "Members", Commands: []command.Command{
			command.New(s.spaces.AddMember), command.New(s.spaces.UpdateMember), command.New(s.spaces.RemoveMember), command.New(s.spaces.MemberPresets),
			command.New(s.spaces.SaveMemberPreset), command.New(s.spaces.RemoveMemberPreset),
		}},
		{Title: "Transcripts", Commands: []command.Command{
			command.New(s.transcripts.OpenSpace), command.New(s.transcripts.Page), command.New(s.transcripts.Since), command.New(s.transcripts.GroupItems), command.New(s.transcripts.ToolDetail),
			command.New(s.transcripts.SegmentText), command.New(s.transcripts.MessageBlocks), command.New(s.transcripts.MessageParts), command.New(s.transcripts.RunMessages), command.New(s.transcripts.RunProgress),
			command.New(s.transcripts.FindInSpace), command.New(s.transcripts.Outline),
		}},
		{Title: "Search", Commands: []command.Command{command.New(s.searches.Search), command.New(s.searches.CountResults), command.New(s.searches.SearchPreview), command.New(s.searches.Recall), command.New(s.searches.SaveRecall)}},
		{Title: "Prompts and runs", Commands: []command.Command{
			command.New(s.files.FindFiles), command.New(s.prompts.SendPrompt), command.New(s.prompts.EditQueued), command.New(s.prompts.RemoveQueued), command.New(s.prompts.MoveQueued),
			command.New(s.prompts.SendQueued), command.New(s.prompts.PrepareAgent), command.New(s.prompts.SetOption), command.New(s.prompts.StopRun),
			command.New(s.prompts.RetryRun), command.New(s.prompts.RetryCall), command.New(s.prompts.RestartAgent), command.New(s.prompts.KillTerminal),
			command.New(s.transcripts.Usage), command.New(s.transcripts.ProtocolLog),
		}},
		{Title: "Requests of agents", Commands: []command.Command{
			command.New(s.requests.AnswerPermission), command.New(s.requests.AnswerQuestion), command.New(s.requests.AnswerDisplay),
			command.New(s.requests.RefuseAllPermissions),
		}},
		{Title: "Permission rules", Commands: []command.Command{
			command.New(s.rules.PermissionRules), command.New(s.rules.SuggestPermissionRules), command.New(s.rules.CheckPermissionRules),
			command.New(s.rules.SavePermissionRules), command.New(s.rules.RemovePermissionRule), command.New(s.rules.PermissionHistory),
		}},
		{Title: "Earlier conversations", Commands: []command.Command{
			command.New(s.imports.EarlierSessions), command.New(s.imports.ImportSession), command.New(s.imports.ForgetSession),
		}},
		{Title: "Exports", Commands: []command.Command{command.New(s.exports.ExportText), command.New(s.exports.CancelExport)}},
		{Title: "Importing conversations of other programs", Commands: []command.Command{
			command.New(s.imports.FindConversations), command.New(s.imports.ImportConversations), command.New(s.imports.ImportState), command.New(s.imports.CancelImport),
			command.New(s.imports.DeclineImport),
		}},
		{Title: "Signing in", Commands: []command.Command{
			command.New(s.signIns.SignIn), command.New(s.signIns.StartSignIn), command.New(s.signIns.SignInOutput), command.New(s.signIns.TypeSignIn),
			command.New(s.signIns.ResizeSignIn), command.New(s.signIns.EndSignIn), command.New(s.signIns.AgentWords), command.New(s.signIns.LogOut),
		}},
		{Title: "Files and changes", Commands: []command.Command{
			command.New(s.files.ReadSpaceFile), command.New(s.files.ReadSpaceImage), command.New(s.files.FilesExist), command.New(s.files.VisitedPlaces),
			command.New(s.editors.OpenInEditor), command.New(s.changes.ReviewChanges), command.New(s.changes.ReviewDiff),
			command.New(s.changes.AcceptChanges), command.New(s.changes.RejectChanges), command.New(s.changes.PlanUndo), command.New(s.changes.UndoSince),
			command.New(s.changes.RedoChanges), command.New(s.changes.ReopenChanges), command.New(s.changes.PlanCommit), command.New(s.changes.CommitAccepted), command.New(s.changes.AcceptedFiles),
			command.New(s.changes.AcceptedDiff), command.New(s.changes.PushBranch), command.New(s.changes.RunSummary),
		}},
		{Title: "Folders and worktrees", Commands: []command.Command{
			command.New(s.files.ListFolders), command.New(s.trees.LookRepository), command.New(s.trees.Worktrees), command.New(s.trees.WorktreeState),
			command.New(s.trees.RemoveWorktree),
		}},
		{Title: "Agents", Commands: []command.Command{
			command.New(s.agents.ListAgents), command.New(s.agents.RescanAgents), command.New(s.agents.SaveAgent), command.New(s.agents.DuplicateAgent),
			command.New(s.agents.RemoveAgent), command.New(s.agents.SetDefaultAgent), command.New(s.agents.DeclineSandbox), command.New(s.agents.DeclineModelProxy), command.New(s.agents.TestAgent),
			command.New(s.tests.CancelTest), command.New(s.models.ModelProviders), command.New(s.models.ListModels),
		}},
		{Title: "The registry", Commands: []command.Command{
			command.New(s.installs.Registry), command.New(s.installs.RefreshRegistry), command.New(s.installs.DownloadSize), command.New(s.installs.InstallAgent),
			command.New(s.installs.AnswerInstall), command.New(s.installs.CancelInstall), command.New(s.installs.DismissInstall),
			command.New(s.installs.RemoveInstalledAgent),
		}},
		{Title: "MCP servers and secrets", Commands: []command.Command{
			command.New(s.servers.MCPServers), command.New(s.servers.SaveMCPServer), command.New(s.servers.RemoveMCPServer), command.New(s.servers.ReadMCPServers),
			command.New(s.servers.TestMCPServer), command.New(s.secrets.Secrets), command.New(s.secrets.SetSecretStore), command.New(s.secrets.WithholdSecrets),
		}},
		{Title: "Appearance", Commands: []command.Command{
			command.New(s.appearance.SaveAppearance), command.New(s.appearance.ToolCalls), command.New(s.appearance.SaveCallRule), command.New(s.appearance.RemoveCallRule),
			command.New(s.appearance.DrawSpaceTools),
		}},
		{Title: "Backups", Commands: []command.Command{command.New(s.backups.Backups), command.New(s.backups.SaveDailyBackups), command.New(s.backups.BackUp)}},
		{Title: "Updates", Commands: []command.Command{
			command.New(s.updates.Updates), command.New(s.updates.CheckForUpdates), command.New(s.updates.SaveUpdateChecks), command.New(s.updates.InstallUpdate),
			command.New(s.updates.CancelUpdate), command.New(s.updates.RestartToUpdate), command.New(s.updates.PostponeUpdate), command.New(s.updates.DismissUpdateOutcome),
		}},
		{Title: "The editor", Commands: []command.Command{command.New(s.editors.Editors), command.New(s.editors.SaveEditor)}},
	}
}

// byName returns commands by name.
func byName(groups []command.Group) map[string]command.Command {
	all := map[string]command.Command{}
	for _, g := range groups {
		for _, c := range g.Commands {
			all[c.Name] = c
		}
	}
	return all
}

// CommandNames returns the names of all commands, sorted.
func (s *Service) CommandNames() []string {
	names := make([]string, 0, len(s.commands))
	for name := range s.commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Call runs a command. request is its JSON (empty means {}), and so is the result. A panic becomes an error. Pass
// errors to [Explain].
func (s *Service) Call(ctx context.Context, name string, request []byte) (result []byte, err error) {
	do, ok := s.commands[name]
	if !ok {
		return nil, fault.New("not_found", "There is no command {{name}}.", strconv.Quote(name))
	}
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error().Str("command", name).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a command panicked")
			err = fault.New("internal", "Something went wrong in Weft. The log in the data folder has the details.").With(fmt.Sprint(p))
		}
	}()
	s.opt.Active()
	defer s.opt.Active()
	result, err = do.Run(ctx, request)
	return result, hidden(err, s.secrets.Redactor())
}

// hidden removes secrets from an error's text.
func hidden(err error, hide *secret.Redactor) error {
	if err == nil {
		return nil
	}
	was := Fault(err)
	if m, d := hide.Text(was.Message), hide.Text(was.Detail); m != was.Message || d != was.Detail {
		return fault.Told(was.Code, m, was.Said().Map(hide.Text)).With(d)
	}
	return err
}
