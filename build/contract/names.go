package contract

import (
	"reflect"

	"weft/backend/acp"
	"weft/backend/agent/agentauth"
	"weft/backend/agent/mcp"
	"weft/backend/agent/registry"
	"weft/backend/agent/registry/install"
	"weft/backend/api/service/changes"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/spaces"
	"weft/backend/api/service/tools"
	"weft/backend/changes/commit"
	"weft/backend/changes/review"
	"weft/backend/conversation/search"
	"weft/backend/conversation/transcript"
	"weft/backend/files/finder"
	"weft/backend/files/workspace"
	"weft/backend/permission"
	"weft/backend/permission/files"
	"weft/backend/settings"
	"weft/backend/space/prompt"
	"weft/backend/space/promptqueue"
	"weft/backend/space/requests"
	"weft/backend/space/sessionoptions"
	"weft/backend/store/find"
	rules "weft/backend/store/permissions"
	index "weft/backend/store/search"
	stored "weft/backend/store/spaces"
)

// names are those that types have in TypeScript, where that is not the name in Go: packages that don't know each other
// use the same name for two things.
var names = map[reflect.Type]string{
	reflect.TypeFor[acp.Option]():                 "SessionOption",
	reflect.TypeFor[search.Kind]():                "HitKind",
	reflect.TypeFor[search.Piece]():               "SnippetPiece",
	reflect.TypeFor[index.Progress]():             "IndexProgress",
	reflect.TypeFor[interchange.ExportProgress](): "Progress",
	reflect.TypeFor[index.Part]():                 "PreviewPart",
	reflect.TypeFor[find.Cursor]():                "FindCursor",
	reflect.TypeFor[find.Hit]():                   "FindHit",
	reflect.TypeFor[find.Page]():                  "FindPage",
	reflect.TypeFor[conversation.Place]():         "SpacePlace",
	reflect.TypeFor[finder.Match]():               "FileMatch",
	reflect.TypeFor[finder.Result]():              "FoundFiles",
	reflect.TypeFor[install.Question]():           "InstallQuestion",
	reflect.TypeFor[install.Script]():             "InstallScript",
	reflect.TypeFor[mcp.Tool]():                   "McpListedTool",
	reflect.TypeFor[registry.Broken]():            "BrokenEntry",
	reflect.TypeFor[registry.Entry]():             "RegistryEntry",
	reflect.TypeFor[registry.Kind]():              "InstallKind",
	reflect.TypeFor[registry.Target]():            "RegistryTarget",
	reflect.TypeFor[acp.Choice]():                 "SessionChoice",
	reflect.TypeFor[review.Choice]():              "UndoChoice",
	reflect.TypeFor[settings.Appearance]():        "AppearanceChoice",
	reflect.TypeFor[review.Diff]():                "ChangeDiff",
	reflect.TypeFor[review.File]():                "ChangedFile",
	reflect.TypeFor[commit.Plan]():                "CommitPlan",
	reflect.TypeFor[commit.File]():                "CommitFile",
	reflect.TypeFor[commit.Choice]():              "CommitChoice",
	reflect.TypeFor[commit.Made]():                "Commit",
	reflect.TypeFor[changes.RunRef]():             "SpaceRunRef",
	reflect.TypeFor[review.Hunk]():                "ChangeHunk",
	reflect.TypeFor[review.Left]():                "LeftFile",
	reflect.TypeFor[requests.Wait]():              "Wait",
	reflect.TypeFor[prompt.Attachment]():          "QueuedPart",
	reflect.TypeFor[promptqueue.Prompt]():         "QueuedPrompt",
	reflect.TypeFor[agentauth.Method]():           "Auth",
	reflect.TypeFor[agentauth.Variable]():         "AuthVariable",
	reflect.TypeFor[agentauth.Terminal]():         "SignInTerminal",
	reflect.TypeFor[agentauth.Output]():           "SignInOutput",
	reflect.TypeFor[tools.MCPServer]():            "McpServer",
	reflect.TypeFor[tools.MCPServerForm]():        "McpServerForm",
	reflect.TypeFor[tools.MCPServerRef]():         "McpServerRef",
	reflect.TypeFor[tools.MCPTest]():              "McpTest",
	reflect.TypeFor[spaces.MemberInput]():         "MemberSeed",
	reflect.TypeFor[permissions.PermissionRule](): "ListedRule",
	reflect.TypeFor[conversation.Run]():           "RunView",
	reflect.TypeFor[settings.MCPTool]():           "McpTool",
	reflect.TypeFor[settings.Model]():             "ModelChoice",
	reflect.TypeFor[stored.CostView]():            "Cost",
	reflect.TypeFor[rules.Rule]():                 "Rule",
	reflect.TypeFor[stored.Run]():                 "RunRecord",
	reflect.TypeFor[stored.Usage]():               "UsageSum",
	reflect.TypeFor[transcript.Error]():           "ErrorEvent",
	reflect.TypeFor[transcript.State]():           "StateEvent",
	reflect.TypeFor[transcript.Terminal]():        "TerminalView",
	reflect.TypeFor[transcript.ToolCall]():        "CallView",
	reflect.TypeFor[workspace.View]():             "FileView",
}

// held are the types of values that Go keeps as raw JSON: the packages that keep them don't look into them.
var held = map[string]reflect.Type{
	transcriptPath + ".Permission.Reading":                    reflect.TypeFor[permission.Reading](),
	transcriptPath + ".PermissionRequest.Reading":             reflect.TypeFor[permission.Reading](),
	module + "backend/api/service/conversation.Events.Events": reflect.TypeFor[[]transcript.Event](),
}

// besides are types of other packages that are with those of transcripts.
var besides = map[reflect.Type]bool{
	reflect.TypeFor[permission.Reading]():  true,
	reflect.TypeFor[permission.Run]():      true,
	reflect.TypeFor[files.Target]():        true,
	reflect.TypeFor[permission.Argument](): true,
}

// parts are values of a space's state and answers of requests that are no commands.
var parts = []reflect.Type{
	reflect.TypeFor[promptqueue.Prompt](),
	reflect.TypeFor[sessionoptions.Offered](),
	reflect.TypeFor[conversation.Attachment](),
	reflect.TypeFor[interchange.ImportReport](),
}

// aliases are names for a part of a type, which the frontend uses by itself.
var aliases = struct{ transcript, api []alias }{
	transcript: []alias{
		{"Visibility", "How a call is drawn where the agent works.", "NonNullable<CallView['visibility']>"},
		{"StateKey", "A part of the state of a space or of a member.", "StateEvent['type']"},
		{"CallFields", "Fields of a tool call that an event may carry.", "Partial<Omit<ToolCallUpdate, 'type'>>"},
	},
	api: []alias{
		{"Speaks", "How a member answers.", "MemberSeed['speaks']"},
		{"Reads", "How far back a member may read.", "MemberSeed['reads']"},
		{"PermissionMode", "How a space deals with permission requests.", "Space['permissions']"},
		{"AgentProcess", "Which spaces share a process of an agent.", "Agent['process']"},
		{"SecretStore", "Where new secrets are kept.", "Secrets['store']"},
		{"McpVia", "Agents connect to the server, or Weft offers its tools.", "McpServer['via']"},
		{"HistoryFilter", "Which decisions are shown.", "Omit<HistoryRequest, 'before' | 'limit'>"},
		{"SignInTarget", "What signing in is about: the agent of a member of a space, or an agent by itself.", "LogOutRequest"},
	},
}

type alias struct{ name, doc, of string }
