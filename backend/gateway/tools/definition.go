package tools

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// Definition is a built-in or user-defined tool.
type Definition struct {
	Name        string          `json:"name"` // [a-zA-Z0-9_-]{1,64}
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"` // a JSON Schema of an object
	// DisplayTool means that calls can be shown in a space. Agents see the optional argument targetSpaceId.
	DisplayTool bool   `json:"displayTool,omitempty"`
	Title       string `json:"title,omitempty"` // shown to the user; the name if empty
	// ExecutionType is who executes the tool (client, server) if Execution has no mode.
	ExecutionType string     `json:"executionType,omitempty"`
	Execution     *Execution `json:"execution,omitempty"` // nil for a display without a result
	// Wait is an alternative to [Execution.Wait].
	Wait       string          `json:"wait,omitempty"`
	Render     json.RawMessage `json:"render,omitempty"`     // how a call is drawn, see [Render]
	Visibility string          `json:"visibility,omitempty"` // hidden, minimal, full; "" is full
	Icon       string          `json:"icon,omitempty"`
	// Example has example arguments, which agents get after a call with invalid ones.
	Example json.RawMessage `json:"example,omitempty"`

	render *Render // decoded Render; nil if there is none
	own    bool    // the tool is user-defined
	// foreign means that the tool has the name of a built-in display whose component can't draw it.
	foreign bool
}

// Render is a component that draws the calls of a tool, and its properties. Texts in the properties are templates over
// the arguments and the result of a call, see [fill].
type Render struct {
	As   string                     // one of [componentNames]
	Give map[string]json.RawMessage // the properties by name
}

// Execution is how a tool gets its result. In URL, Headers and Args, {{name}} stands for an argument of the call.
type Execution struct {
	Mode string `json:"mode,omitempty"` // one of the modes below
	// Wait is whether a call waits for the user's answer: WaitResult or WaitNone. "" means WaitNone for a tool with
	// Render, and otherwise WaitResult. For ModeClient only.
	Wait string `json:"wait,omitempty"`
	// AwaitIf names arguments. A call waits only if it has all of them and none is empty or false. If AwaitIf is empty,
	// Wait decides. For ModeClient only.
	AwaitIf []string          `json:"awaitIf,omitempty"`
	URL     string            `json:"url,omitempty"`
	Method  string            `json:"method,omitempty"` // GET if empty
	Headers map[string]string `json:"headers,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Timeout int               `json:"timeout,omitempty"` // milliseconds, at most 10 minutes; 0 means 30 s
}

// The modes of an execution.
const (
	ModeClient  = "no-execution" // the user answers
	ModeHTTP    = "http"
	ModeCommand = "command"
)

// The values of [Execution.Wait].
const (
	WaitResult = "result" // the call returns the answer
	WaitNone   = "none"   // the call returns at once; an answer becomes a prompt for the agent
)

// The visibilities of a tool: how its calls are shown in the space where the agent works.
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

// Proxied is the execution of all tools of MCP servers.
var Proxied = &Execution{Mode: "proxied"}

// Acts reports whether a call does more than being shown, so that it needs permission.
func (d *Definition) Acts() bool {
	e := d.Execution
	return e != nil && (e == Proxied || e.Mode == ModeHTTP || e.Mode == ModeCommand)
}

// wrong is what is wrong with a part of a definition. at is a JSON pointer.
type wrong struct {
	at   string
	said fault.Said
}

// Check checks a definition and returns its schema. Its error is a sentence.
func (d *Definition) Check() (*Schema, error) {
	schema, bad := d.check()
	if bad != nil {
		return nil, errors.New(bad.said.String())
	}
	return schema, nil
}

// check is Check with the position of the error.
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
	// A placeholder must not choose the server.
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

// placeholders returns an error if a placeholder names no property of the schema.
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

// noProperty returns a sentence about a placeholder without a property.
func noProperty(name, placeholder string) fault.Said {
	return fault.Say("The inputSchema has no property {{name}} for the placeholder {{placeholder}}.", strconv.Quote(name), placeholder)
}

// quoted returns a quoted name of at most most bytes.
func quoted(name string, most int) string { return strconv.Quote(clip.Text(name, most)) }
