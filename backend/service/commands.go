package service

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// command decodes its request, does its work and encodes the answer.
type command func(ctx context.Context, request []byte) ([]byte, error)

// none is the request of commands that take nothing, and the answer of those that say nothing.
type none struct{}

// register lists the commands. Their names are those of docs/api.md.
func (s *Service) register() {
	s.commands = map[string]command{
		"Bootstrap":              wrap(s.Bootstrap),
		"ListSpaces":             wrap(s.ListSpaces),
		"CreateSpace":            wrap(s.CreateSpace),
		"UpdateSpace":            wrap(s.UpdateSpace),
		"DeleteSpace":            wrap(s.DeleteSpace),
		"RestoreSpace":           wrap(s.RestoreSpace),
		"MarkSeen":               wrap(s.MarkSeen),
		"Branch":                 wrap(s.Branch),
		"Branches":               wrap(s.Branches),
		"AgentCopies":            wrap(s.AgentCopies),
		"OpenSpace":              wrap(s.OpenSpace),
		"Page":                   wrap(s.Page),
		"Since":                  wrap(s.Since),
		"GroupItems":             wrap(s.GroupItems),
		"ToolDetail":             wrap(s.ToolDetail),
		"SegmentText":            wrap(s.SegmentText),
		"MessageParts":           wrap(s.MessageParts),
		"MessageBlocks":          wrap(s.MessageBlocks),
		"AddMember":              wrap(s.AddMember),
		"UpdateMember":           wrap(s.UpdateMember),
		"RemoveMember":           wrap(s.RemoveMember),
		"MemberPresets":          wrap(s.MemberPresets),
		"SaveMemberPreset":       wrap(s.SaveMemberPreset),
		"RemoveMemberPreset":     wrap(s.RemoveMemberPreset),
		"RunMessages":            wrap(s.RunMessages),
		"SendPrompt":             wrap(s.SendPrompt),
		"AnswerDisplay":          wrap(s.AnswerDisplay),
		"FindFiles":              wrap(s.FindFiles),
		"EditQueued":             wrap(s.EditQueued),
		"RemoveQueued":           wrap(s.RemoveQueued),
		"SendQueued":             wrap(s.SendQueued),
		"PrepareAgent":           wrap(s.PrepareAgent),
		"SetOption":              wrap(s.SetOption),
		"EarlierSessions":        wrap(s.EarlierSessions),
		"ImportSession":          wrap(s.ImportSession),
		"ForgetSession":          wrap(s.ForgetSession),
		"Usage":                  wrap(s.Usage),
		"SignIn":                 wrap(s.SignIn),
		"StartSignIn":            wrap(s.StartSignIn),
		"SignInOutput":           wrap(s.SignInOutput),
		"TypeSignIn":             wrap(s.TypeSignIn),
		"ResizeSignIn":           wrap(s.ResizeSignIn),
		"EndSignIn":              wrap(s.EndSignIn),
		"LogOut":                 wrap(s.LogOut),
		"Secrets":                wrap(s.Secrets),
		"SetSecretStore":         wrap(s.SetSecretStore),
		"MCPServers":             wrap(s.MCPServers),
		"SaveMCPServer":          wrap(s.SaveMCPServer),
		"RemoveMCPServer":        wrap(s.RemoveMCPServer),
		"ReadMCPServers":         wrap(s.ReadMCPServers),
		"TestMCPServer":          wrap(s.TestMCPServer),
		"StopRun":                wrap(s.StopRun),
		"RetryRun":               wrap(s.RetryRun),
		"RetryCall":              wrap(s.RetryCall),
		"RestartAgent":           wrap(s.RestartAgent),
		"AnswerPermission":       wrap(s.AnswerPermission),
		"PermissionRules":        wrap(s.PermissionRules),
		"SuggestPermissionRules": wrap(s.SuggestPermissionRules),
		"CheckPermissionRules":   wrap(s.CheckPermissionRules),
		"SavePermissionRules":    wrap(s.SavePermissionRules),
		"RemovePermissionRule":   wrap(s.RemovePermissionRule),
		"PermissionHistory":      wrap(s.PermissionHistory),
		"RefuseAllPermissions":   wrap(s.RefuseAllPermissions),
		"AnswerQuestion":         wrap(s.AnswerQuestion),
		"ReadSpaceFile":          wrap(s.ReadSpaceFile),
		"VisitedPlaces":          wrap(s.VisitedPlaces),
		"ListAgents":             wrap(s.ListAgents),
		"RescanAgents":           wrap(s.RescanAgents),
		"SaveAgent":              wrap(s.SaveAgent),
		"DuplicateAgent":         wrap(s.DuplicateAgent),
		"RemoveAgent":            wrap(s.RemoveAgent),
		"SetDefaultAgent":        wrap(s.SetDefaultAgent),
		"DeclineSandbox":         wrap(s.DeclineSandbox),
		"TestAgent":              wrap(s.TestAgent),
		"ModelProviders":         wrap(s.ModelProviders),
		"ListModels":             wrap(s.ListModels),
		"CancelTest":             wrap(s.CancelTest),
		"Registry":               wrap(s.Registry),
		"RefreshRegistry":        wrap(s.RefreshRegistry),
		"DownloadSize":           wrap(s.DownloadSize),
		"InstallAgent":           wrap(s.InstallAgent),
		"AnswerInstall":          wrap(s.AnswerInstall),
		"CancelInstall":          wrap(s.CancelInstall),
		"DismissInstall":         wrap(s.DismissInstall),
		"RemoveInstalledAgent":   wrap(s.RemoveInstalledAgent),
		"SaveAppearance":         wrap(s.SaveAppearance),
		"ToolCalls":              wrap(s.ToolCalls),
		"SaveCallRule":           wrap(s.SaveCallRule),
		"RemoveCallRule":         wrap(s.RemoveCallRule),
		"DrawSpaceTools":         wrap(s.DrawSpaceTools),
		"KillTerminal":           wrap(s.KillTerminal),
		"ProtocolLog":            wrap(s.ProtocolLog),
		"ListFolders":            wrap(s.ListFolders),
		"LookRepository":         wrap(s.LookRepository),
		"Worktrees":              wrap(s.Worktrees),
		"WorktreeState":          wrap(s.WorktreeState),
		"RemoveWorktree":         wrap(s.RemoveWorktree),
		"ReviewChanges":          wrap(s.ReviewChanges),
		"ReviewDiff":             wrap(s.ReviewDiff),
		"AcceptChanges":          wrap(s.AcceptChanges),
		"RejectChanges":          wrap(s.RejectChanges),
		"PlanUndo":               wrap(s.PlanUndo),
		"UndoSince":              wrap(s.UndoSince),
		"RedoChanges":            wrap(s.RedoChanges),
	}
}

// Commands answers the names of all commands, sorted.
func (s *Service) Commands() []string {
	names := make([]string, 0, len(s.commands))
	for name := range s.commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Call runs a command with the JSON of its request (empty means {}) and answers the JSON
// of its result. A panic inside becomes an error. Errors are for [Explain].
func (s *Service) Call(ctx context.Context, name string, request []byte) (result []byte, err error) {
	do, ok := s.commands[name]
	if !ok {
		return nil, &Error{Code: "not_found", Message: fmt.Sprintf("There is no command %q.", name)}
	}
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error().Str("command", name).Interface("panic", p).Bytes("stack", debug.Stack()).Msg("a command panicked")
			err = &Error{Code: "internal", Message: "Something went wrong inside Weft. The log in the data folder has the details.", Detail: fmt.Sprint(p)}
		}
	}()
	result, err = do(ctx, request)
	return result, s.hidden(err)
}

// hidden takes secrets out of what an error says.
func (s *Service) hidden(err error) error {
	if err == nil {
		return nil
	}
	code, message, detail := Explain(err)
	hide := s.secrets.Redactor()
	if m, d := hide.Text(message), hide.Text(detail); m != message || d != detail {
		return &Error{Code: code, Message: m, Detail: d}
	}
	return err
}

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func wrap[Req, Res any](do func(context.Context, Req) (Res, error)) command {
	return func(ctx context.Context, request []byte) ([]byte, error) {
		var req Req
		if len(request) > 0 {
			if err := json.Unmarshal(request, &req, lenient); err != nil {
				return nil, &Error{Code: "invalid", Message: "The request cannot be read: " + err.Error() + ".", Err: err}
			}
		}
		res, err := do(ctx, req)
		if err != nil {
			return nil, err
		}
		out, err := json.Marshal(res, lenient)
		if err != nil {
			return nil, fmt.Errorf("encode the answer: %w", err)
		}
		return out, nil
	}
}
