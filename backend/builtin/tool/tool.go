// Package tool has the tools of the built-in agent: they read and change the folder, run commands, fetch pages, and
// keep the plan. Package mcptools adds those of MCP servers.
//
// A tool first describes what a call would do ([Tool.Prepare]), and does it when the agent allows it ([Prepared.Run]).
// The agent, not the tool, decides whether to ask the user. The file tools never read or write outside the folder. All
// results are bounded, and say when they were truncated.
package tool

import (
	"context"
	"encoding/json"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/builtin/folder"
	"weft/backend/llm"
)

// Tool is a tool that the model can call.
type Tool struct {
	llm.Tool
	Kind acp.ToolKind
	// Effect is the most that a call does. A prepared call may do less.
	Effect Effect
	// Unseen means that calls aren't shown unless they fail, because their effect is: the plan.
	Unseen bool
	// Beside means that calls may run concurrently with others although their Effect isn't Reads: they only read
	// elsewhere, or ask the user, who may answer several in any order.
	Beside bool

	// Look returns how a call is shown, given the top-level fields of its input that are complete so far; none at
	// first. It is called while the model is still writing, and must be cheap.
	Look func(env *Env, fields map[string]json.RawMessage) Look

	// Prepare validates the input and determines what the call would do, without doing it. It may read files, and
	// returns when ctx ends. For an invalid input it returns an *[Error] that tells the model how to correct it.
	Prepare func(ctx context.Context, env *Env, input json.RawMessage) (Prepared, error)
}

// Effect is the kind of a call's side effects.
type Effect int

// The effects, from harmless to dangerous.
const (
	Reads    Effect = iota // only reads, and only in the folder
	Edits                  // changes files of the folder
	Fetches                // sends requests to other hosts
	Executes               // runs a command or an unknown tool
)

// Look is how a call is shown.
type Look struct {
	Title     string
	Locations []acp.ToolCallLocation
}

// Prepared is a call that is ready to run.
type Prepared struct {
	Look
	Effect  Effect
	Content []acp.ToolCallContent // what is proposed, such as a diff; shown in the permission request
	// Grant identifies what "always" would allow, such as "edit" or "shell:git status". If it is "", "always" isn't
	// offered. GrantName is the label of that option: "Allow all edits in this session".
	Grant     string
	GrantName fault.Said

	// Run makes the call. It may be called a second time after an error with [Error.Retryable]. It may report progress,
	// and returns soon after ctx ends, leaving no processes behind.
	Run func(ctx context.Context, report func(Progress)) (Result, error)
}

// Progress is the visible progress of a running call.
type Progress struct {
	Content []acp.ToolCallContent // replaces the shown content; nil keeps it
	Title   string                // "" keeps it
}

// Result is the result of a call.
type Result struct {
	Parts     []llm.Part            // for the model: text, images, files
	Content   []acp.ToolCallContent // for the user; nil keeps the shown content
	Summary   string                // "Found 12 matches in 4 files"
	Count     int                   // of results
	Uncounted bool                  // there is nothing to count
	Retried   bool                  // the tool was called twice
	Output    map[string]any        // facts for programs (ACP rawOutput)
	Data      any                   // the whole result, for a model that is a program, such as the guide
	Plan      []acp.PlanEntry       // the whole plan, if the tool has changed it
	// Title and Locations replace those of the look if they are set.
	Title     string
	Locations []acp.ToolCallLocation
}

// Error is the error of a failed call, with a sentence for the model and the user.
type Error struct {
	Message   string
	Retryable bool // the call may succeed a second later, and repeating it does no harm
	Retried   bool // the tool was called twice
	Content   []acp.ToolCallContent
	Parts     []llm.Part     // for the model instead of Message, such as the output of a failed command
	Summary   string         // "Exit code 3"; "" means Message
	Output    map[string]any // as in [Result]
	Err       error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Env is the environment of a session's tools. It is safe for concurrent use.
type Env struct {
	Folder  *folder.Folder // nil if the session's folder can't be opened
	Problem error          // why Folder is nil
	Client  Client
	Seen    *Seen // file contents that the model knows
	// Keep stores content that is too long for the model and returns its path for the read tool. It may be nil.
	Keep func(name string, content []byte) (path string, err error)
	Kept func(path string) (file string, ok bool) // returns the file on disk for a path from Keep
	// ShellTimeout is the default timeout of a command, and ShellLimit the longest that the model may choose.
	ShellTimeout, ShellLimit time.Duration
	Now                      func() time.Time
}

// allowed returns an error if a rule of the user forbids reading a file, or if the client can't tell.
func (e *Env) allowed(ctx context.Context, rel string) error {
	if e.Client == nil || !e.Client.Permits() {
		return nil
	}
	denied, err := e.Client.Denied(ctx, "read", []string{e.Folder.Abs(rel)})
	switch {
	case err != nil:
		return &Error{Message: sentence("the client didn't say whether " + rel + " may be read: " + err.Error()), Err: err}
	case denied[0]:
		return failf("The user's rules reject reading %s.", rel)
	}
	return nil
}

// Client is the ACP client. Methods with a ctx block until the client has answered or ctx ends.
type Client interface {
	// ReadsFiles and WritesFiles report whether the client offers fs/read_text_file and fs/write_text_file.
	ReadsFiles() bool
	WritesFiles() bool
	ReadTextFile(ctx context.Context, path string) (string, error)
	WriteTextFile(ctx context.Context, path, content string) error
	// Permits reports whether the client also decides about reads. If so, Denied reports which files a tool of a kind
	// must not access, and the client creates the folders of new files itself.
	Permits() bool
	Denied(ctx context.Context, kind string, paths []string) ([]bool, error)
	// HasTerminals reports whether the client offers terminal/*. The methods below are its calls.
	HasTerminals() bool
	CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (id string, err error)
	TerminalOutput(ctx context.Context, id string) (acp.TerminalOutputResponse, error)
	WaitForTerminalExit(ctx context.Context, id string) (acp.WaitForTerminalExitResponse, error)
	KillTerminal(ctx context.Context, id string) error
	ReleaseTerminal(ctx context.Context, id string) error
}
