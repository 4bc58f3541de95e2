// Package tool holds what the built-in agent can do for a model: look at the folder, change it, run
// commands, and call the tools of MCP servers.
//
// A tool says first what a call would do ([Tool.Prepare]) and does it only when the agent lets it ([Prepared.Run]):
// whether anyone has to be asked is the agent's to know, not the tool's. Nothing outside the folder is read or
// written by the tools that work on files. Everything a tool returns is bounded, and says when it was cut.
package tool

import (
	"context"
	"encoding/json"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/folder"
	"weft/backend/fault"
	"weft/backend/llm"
)

// Tool is one thing that a model can do.
type Tool struct {
	llm.Tool
	Kind acp.ToolKind
	// Effect is what a call does at most; a prepared one may do less.
	Effect Effect
	// Unseen says that a call is not shown as one, since what it does is: the plan. One that fails is.
	Unseen bool
	// Beside says that calls may run beside others although they do more than look at the folder: they only read elsewhere, or ask the
	// user, who may answer several at a time and in any order.
	Beside bool

	// Look says how a call is shown, from the top-level fields of its input that are complete so far; none at
	// first. It is called while the model still writes, and has to be cheap.
	Look func(env *Env, fields map[string]json.RawMessage) Look

	// Prepare reads the input and works out what the call would do, without doing it. It may read files, and
	// returns when ctx ends. An input that does not fit is an *[Error] which tells the model how to do better.
	Prepare func(ctx context.Context, env *Env, input json.RawMessage) (Prepared, error)
}

// Effect is what a call does to the world.
type Effect int

// The effects, the harmless first.
const (
	Reads    Effect = iota // looks, at the folder only
	Edits                  // changes files of the folder
	Fetches                // asks another machine
	Executes               // runs a command, or a tool that nobody here knows
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
	Content []acp.ToolCallContent // what is proposed, such as a diff; shown with the question
	// Grant names what "always" would allow, such as "edit" or "shell:git status"; "" offers no always. GrantName
	// is the option that the user has for it: "Allow all edits in this session".
	Grant     string
	GrantName fault.Said

	// Run does it. It may be called twice if its first error was [Error.Retryable]. While it works it may report what
	// can be seen already. It returns soon after ctx ends, and leaves no process behind.
	Run func(ctx context.Context, report func(Progress)) (Result, error)
}

// Progress is what can be seen of a call that runs.
type Progress struct {
	Content []acp.ToolCallContent // replaces what was shown; nil keeps it
	Title   string                // "" keeps it
}

// Result is what a call brought.
type Result struct {
	Parts     []llm.Part            // for the model: text, images, files
	Content   []acp.ToolCallContent // for the user; where nil, what was shown stays
	Summary   string                // "Found 12 matches in 4 files"
	Count     int                   // of results
	Uncounted bool                  // there is nothing to count
	Retried   bool                  // whoever ran it has called it twice
	Output    map[string]any        // facts for programs (ACP rawOutput)
	Data      any                   // the whole result for a model that is a program, such as the guide
	Plan      []acp.PlanEntry       // if the tool has changed the plan: all of it
	// Title and Locations replace those of the look where they are set.
	Title     string
	Locations []acp.ToolCallLocation
}

// Error is why a call failed, in a sentence for the model and the user.
type Error struct {
	Message   string
	Retryable bool // the same call may succeed a second later, and doing it twice does no harm
	Retried   bool // whoever ran it has called it twice
	Content   []acp.ToolCallContent
	Parts     []llm.Part     // what the model is told instead of Message, such as the output of a command that failed
	Summary   string         // "Exit code 3"; "" takes Message
	Output    map[string]any // as in [Result]
	Err       error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Env is what the tools of one session work with. It is safe for use by several goroutines.
type Env struct {
	Folder  *folder.Folder // nil if the session's folder can't be opened
	Problem error          // why Folder is nil
	Client  Client
	Seen    *Seen // what the model knows of files
	// Keep stores what is too long for the model under a name and answers the path by which the read tool finds it;
	// it may be nil.
	Keep func(name string, content []byte) (path string, err error)
	Kept func(path string) (file string, ok bool) // where a path that Keep gave is on the disk
	// ShellTimeout is how long a command may take if the model does not say, and the longest that it may ask for.
	ShellTimeout, ShellLimit time.Duration
	Now                      func() time.Time
}

// allowed returns an error if a rule of the user rejects that the tools read a file.
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

// Client is what the ACP client at the other end offers. Its methods block until the client has answered or ctx ends.
type Client interface {
	// ReadsFiles and WritesFiles report whether the client offers fs/read_text_file and fs/write_text_file.
	ReadsFiles() bool
	WritesFiles() bool
	ReadTextFile(ctx context.Context, path string) (string, error)
	WriteTextFile(ctx context.Context, path, content string) error
	// Permits reports whether the client decides about what is only read. Denied then reports which of the files a tool of a
	// kind may not touch; and the client makes the folders that a file needs by itself.
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
