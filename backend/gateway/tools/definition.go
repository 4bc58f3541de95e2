package tools

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"weft/backend/lazyregexp"

	"weft/backend/clip"
	"weft/backend/fault"
)

// Definition is a tool that Weft offers to agents: one that is built in, or one from a file of the user's.
type Definition struct {
	Name        string          `json:"name"` // [a-zA-Z0-9_-]{1,64}
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"` // a JSON Schema of an object
	// DisplayTool makes it one that can be drawn in a space: agents see the optional targetSpaceId.
	DisplayTool bool   `json:"displayTool,omitempty"`
	Title       string `json:"title,omitempty"` // what the user reads; the name if empty
	// ExecutionType says who runs it (client, server) where Execution has no mode.
	ExecutionType string     `json:"executionType,omitempty"`
	Execution     *Execution `json:"execution,omitempty"` // nil is a display that is drawn and has no result
	// Wait is another place for [Execution.Wait].
	Wait       string          `json:"wait,omitempty"`
	Render     json.RawMessage `json:"render,omitempty"`     // how a call is drawn, see [Render]
	Visibility string          `json:"visibility,omitempty"` // hidden, minimal, full; "" is full
	Icon       string          `json:"icon,omitempty"`
	// Example is arguments of a call, told to an agent whose own do not fit.
	Example json.RawMessage `json:"example,omitempty"`

	render *Render // what Render says; nil where the tool's own component or a general one draws it
	own    bool    // it is from a file of the user's
	// foreign tells that it has the name of a display of Weft, whose component cannot draw it.
	foreign bool
}

// Render is how the calls of a tool are drawn: a component, and what it is given. Texts in it are templates over the
// arguments and the result of a call, see [fill].
type Render struct {
	As   string                     // one of [componentNames]
	Give map[string]json.RawMessage // by the names that the component knows
}

// Execution is how a tool's result comes about. In URL, Headers and Args, {{name}} stands for an argument of the call.
type Execution struct {
	Mode string `json:"mode,omitempty"` // one of the modes below
	// Wait says whether the run waits for the user's answer: WaitResult or WaitNone. "" is WaitNone for a tool that says how it is
	// drawn (render), and otherwise WaitResult. Of ModeClient only.
	Wait string `json:"wait,omitempty"`
	// AwaitIf names arguments that all have to be there, and be neither empty nor false, for a call to wait for the
	// user; without names Wait says it for every call. Of ModeClient only.
	AwaitIf []string          `json:"awaitIf,omitempty"`
	URL     string            `json:"url,omitempty"`
	Method  string            `json:"method,omitempty"` // GET if empty
	Headers map[string]string `json:"headers,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Timeout int               `json:"timeout,omitempty"` // milliseconds; 0 is 30 s, at most 10 minutes
}

// The modes of an execution.
const (
	ModeClient  = "no-execution" // a user answers
	ModeHTTP    = "http"
	ModeCommand = "command"
)

// What a tool that the user answers says of waiting.
const (
	WaitResult = "result" // the call returns the answer
	WaitNone   = "none"   // the call returns at once; an answer is the agent's next prompt
)

// The visibilities of a tool: how its calls are shown where an agent works.
const (
	VisibilityHidden  = "hidden"
	VisibilityMinimal = "minimal"
	VisibilityFull    = "full"
)

const (
	maxTimeout     = 10 * 60 * 1000 // ms
	maxDescription = 16 << 10       // bytes
)

var (
	nameForm    = lazyregexp.New(`^[a-zA-Z0-9_-]{1,64}$`)
	placeholder = lazyregexp.New(`\{\{\s*([^{}]*?)\s*\}\}`)
	methods     = []string{"", "GET", "POST", "PUT", "PATCH", "DELETE"}
)

// Proxied marks the tools of servers.
var Proxied = &Execution{Mode: "proxied"}

// Acts reports whether a call does something beside being shown, for which it needs permission.
func (d *Definition) Acts() bool {
	e := d.Execution
	return e != nil && (e == Proxied || e.Mode == ModeHTTP || e.Mode == ModeCommand)
}

// wrong is what is wrong with a definition, and where: a JSON pointer into it.
type wrong struct {
	at   string
	said fault.Said
}

func (w *wrong) Error() string { return w.said.String() }

// Check returns the schema of a definition, or a sentence that says what is wrong with the definition.
func (d *Definition) Check() (*Schema, error) {
	schema, bad := d.check()
	if bad != nil {
		return nil, bad
	}
	return schema, nil
}

// check returns what is wrong with a definition, or its schema.
func (d *Definition) check() (*Schema, *wrong) {
	switch {
	case !nameForm.MatchString(d.Name):
		return nil, &wrong{"/name", fault.Say("The name {{name}} must be 1 to 64 of the characters a-z, A-Z, 0-9, _ and -.", quoted(d.Name, 100))}
	case len(d.Description) > maxDescription:
		return nil, &wrong{"/description", fault.Say("The description is longer than 16 KB.")}
	case !slices.Contains([]string{"", VisibilityHidden, VisibilityMinimal, VisibilityFull}, d.Visibility):
		return nil, &wrong{"/visibility", fault.Say("The visibility must be hidden, minimal or full.")}
	}
	schema, err := Compile(d.InputSchema)
	if err != nil {
		return nil, &wrong{"/inputSchema", fault.Say("{{reason}}", err)}
	}
	if err := d.checkRender(schema); err != nil {
		return nil, err
	}
	if d.DisplayTool && schema.HasTarget() {
		return nil, &wrong{"/inputSchema", fault.Say("The schema already has a property targetSpaceId, which Weft adds to every display tool. Rename the property.")}
	}
	if d.Execution == nil {
		if !d.DisplayTool {
			return nil, &wrong{"", fault.Say("The tool does nothing: it needs an execution, or displayTool: true.")}
		}
		return schema, nil
	}
	bad := d.Execution.check(d.DisplayTool, schema)
	if bad != nil && bad.at == "/execution/wait" && d.Wait != "" {
		bad.at = "/wait"
	}
	return schema, bad
}

func (e *Execution) check(display bool, schema *Schema) *wrong {
	if e.Timeout < 0 || e.Timeout > maxTimeout {
		return &wrong{"/execution/timeout", fault.Say("The timeout is in milliseconds, at most 600000.")}
	}
	if len(e.AwaitIf) > 0 && e.Mode != ModeClient {
		return &wrong{"/execution/awaitIf", fault.Say("awaitIf is for tools that the user answers (no-execution).")}
	}
	switch {
	case e.Wait != "" && e.Mode != ModeClient:
		return &wrong{"/execution/wait", fault.Say("wait is for tools that the user answers (no-execution).")}
	case !slices.Contains([]string{"", WaitResult, WaitNone}, e.Wait):
		return &wrong{"/execution/wait", fault.Say("wait must be result or none.")}
	}
	switch e.Mode {
	case ModeClient:
		if !display {
			return &wrong{"/execution/mode", fault.Say("A tool that the user answers must be a display tool (displayTool: true). Otherwise it isn't shown.")}
		}
		return nil
	case ModeHTTP:
		return e.checkHTTP(schema)
	case ModeCommand:
		return e.checkCommand(schema)
	}
	return &wrong{"/execution/mode", fault.Say("The mode {{mode}} must be no-execution, http or command.", quoted(e.Mode, 60))}
}

func (e *Execution) checkHTTP(schema *Schema) *wrong {
	// A placeholder may not choose the server.
	at, err := url.Parse(placeholder.ReplaceAllString(e.URL, "x"))
	host := placeholder.ReplaceAllString(e.URL, "\x00")
	if i := strings.Index(host, "://"); i >= 0 {
		rest := host[i+3:]
		host = host[:i+3+strings.IndexAny(rest+"/", "/?#")]
	}
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return &wrong{"/execution/url", fault.Say("The url must begin with http:// or https:// and a host.")}
	case strings.Contains(host, "\x00"):
		return &wrong{"/execution/url", fault.Say("A placeholder can only be in the path and the query of the url.")}
	case !slices.Contains(methods, e.Method):
		return &wrong{"/execution/method", fault.Say("The method must be GET, POST, PUT, PATCH or DELETE.")}
	}
	if w := placeholders(schema, "/execution/url", e.URL); w != nil {
		return w
	}
	for name, value := range e.Headers {
		if !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			return &wrong{"/execution/headers", fault.Say("The header {{name}} is invalid.", quoted(name, 60))}
		}
		if w := placeholders(schema, "/execution/headers", value); w != nil {
			return w
		}
	}
	return nil
}

var headerName = lazyregexp.New("^[a-zA-Z0-9!#$%&'*+.^_`|~-]+$")

func (e *Execution) checkCommand(schema *Schema) *wrong {
	switch {
	case strings.TrimSpace(e.Command) == "":
		return &wrong{"/execution/command", fault.Say("A command is required: the program only. Put its arguments in args.")}
	case placeholder.MatchString(e.Command):
		return &wrong{"/execution/command", fault.Say("A placeholder can be in args, but not in the command.")}
	}
	return placeholders(schema, "/execution/args", e.Args...)
}

// placeholders reports one that names no property.
func placeholders(schema *Schema, at string, texts ...string) *wrong {
	for _, text := range texts {
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			if !schema.names(m[1]) {
				return &wrong{at, noProperty(m[1], m[0])}
			}
		}
	}
	return nil
}

// noProperty says that a placeholder is of no property.
func noProperty(name, placeholder string) fault.Said {
	return fault.Say("The inputSchema has no property {{name}} for the placeholder {{placeholder}}.", strconv.Quote(name), placeholder)
}

// quoted is a name in a sentence, of at most that many bytes.
func quoted(name string, most int) string { return strconv.Quote(clip.Text(name, most)) }
