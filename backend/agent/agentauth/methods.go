package agentauth

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/terminal"
)

// Method is a way to sign in that an agent offers.
type Method struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitzero"`
	Type        string     `json:"type"`
	Command     string     `json:"command,omitzero"`    // terminal: the command line that is run
	Variables   []Variable `json:"variables,omitempty"` // env_var: required environment variables
	Link        string     `json:"link,omitzero"`       // env_var: where the user gets the values
	// Problem is why a listed method can't be used: type (Weft doesn't know it), same_id (another one
	// has its id), or no_variables.
	Problem string `json:"problem,omitzero"`

	login login
}

// The types of a [Method].
const (
	ByAgent     = "agent"    // the agent signs in by itself
	ByTerminal  = "terminal" // its command is run in a terminal
	ByVariables = "env_var"  // it reads its environment
)

// Variable is an environment variable that signs in.
type Variable struct {
	Name     string `json:"name"`
	Label    string `json:"label,omitzero"`
	Secret   bool   `json:"secret"`
	Optional bool   `json:"optional,omitzero"`
}

// login is the command of a method that runs in a terminal.
type login struct {
	command string
	args    []string
	env     map[string]string // overrides the agent's own
}

// The maximum number of methods and variables per agent.
const (
	maxMethods   = 20
	maxVariables = 20
)

// TerminalMeta is the _meta member with which agents described a sign-in command before ACP had a type for it. A
// client uses it to say that it runs such commands.
const TerminalMeta = "terminal-auth"

// Methods returns the sign-in methods that an agent offers, never nil. Methods that can't be used have a Problem.
func Methods(config agent.Config, offered []acp.AuthMethod) []Method {
	list := []Method{}
	for _, m := range offered[:min(len(offered), maxMethods)] {
		a := read(config, m)
		if slices.ContainsFunc(list, func(b Method) bool { return b.ID == a.ID }) {
			a.Problem = "same_id"
		}
		list = append(list, a)
	}
	return list
}

// InRefusal returns the sign-in methods in an agent's error that says that the user isn't signed in, or nil if err is
// another error.
func InRefusal(err error) []acp.AuthMethod {
	var refused *acp.RPCError
	if !errors.As(err, &refused) || refused.Code != acp.CodeAuthRequired {
		return nil
	}
	return acp.ReadAuthMethods(refused.Data)
}

// fields are the optional fields of a method. Each is decoded separately, so an invalid one doesn't affect the
// others.
type fields struct {
	Args    jsontext.Value            `json:"args"`
	Env     jsontext.Value            `json:"env"`
	Vars    jsontext.Value            `json:"vars"`
	VarName string                    `json:"varName"`
	Link    string                    `json:"link"`
	Meta    map[string]jsontext.Value `json:"_meta"`
}

func read(config agent.Config, m acp.AuthMethod) Method {
	a := Method{ID: m.ID, Name: m.Name, Description: m.Description, Type: cmp.Or(m.Type, ByAgent)}
	var f fields
	_ = json.Unmarshal(m.Raw, &f) // invalid fields are ignored
	switch a.Type {
	case ByTerminal:
		a.login = login{command: config.Command, args: slices.Concat(config.Args, stringList(f.Args)), env: environment(f.Env)}
	case ByVariables:
		a.Variables = variables(f)
		if len(a.Variables) == 0 {
			a.Problem = "no_variables"
		}
		if u, err := url.Parse(f.Link); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			a.Link = f.Link
		}
	case ByAgent:
		var older struct {
			Command string         `json:"command"`
			Args    jsontext.Value `json:"args"`
			Env     jsontext.Value `json:"env"`
		}
		if raw := f.Meta[TerminalMeta]; raw != nil && json.Unmarshal(raw, &older) == nil && older.Command != "" {
			a.Type, a.login = ByTerminal, login{command: older.Command, args: stringList(older.Args), env: environment(older.Env)}
		}
	default:
		a.Problem = "type"
	}
	if a.Type == ByTerminal {
		a.Command = terminal.Spec{Command: a.login.command, Args: a.login.args}.Line()
	}
	return a
}

func variables(f fields) []Variable {
	var named []jsontext.Value
	_ = json.Unmarshal(f.Vars, &named)
	if f.VarName != "" {
		one, _ := json.Marshal(map[string]string{"name": f.VarName})
		named = append(named, one)
	}
	var list []Variable
	for _, raw := range named[:min(len(named), maxVariables)] {
		v := struct {
			Name     string `json:"name"`
			Label    string `json:"label"`
			Secret   *bool  `json:"secret"`
			Optional bool   `json:"optional"`
		}{}
		if json.Unmarshal(raw, &v) != nil || !validName(v.Name) || slices.ContainsFunc(list, func(b Variable) bool { return b.Name == v.Name }) {
			continue
		}
		list = append(list, Variable{Name: v.Name, Label: v.Label, Secret: v.Secret == nil || *v.Secret, Optional: v.Optional})
	}
	return list
}

// validName reports whether name is a valid name of an environment variable.
func validName(name string) bool {
	if name == "" || len(name) > 200 {
		return false
	}
	for _, c := range name {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func stringList(v jsontext.Value) []string {
	var list []string
	if json.Unmarshal(v, &list) != nil {
		return nil
	}
	return list
}

// environment parses variables given as an object, or as a list of names and values.
func environment(v jsontext.Value) map[string]string {
	var object map[string]jsontext.Value
	out := map[string]string{}
	if json.Unmarshal(v, &object) == nil {
		for name, raw := range object {
			var s string
			if json.Unmarshal(raw, &s) == nil {
				out[name] = s
			}
		}
		return out
	}
	var list []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	if json.Unmarshal(v, &list) == nil {
		for _, one := range list {
			out[one.Name] = one.Value
		}
	}
	return out
}

// over returns the environment for a sign-in command: the agent's, overridden by the method's.
func (l login) over(own map[string]string) map[string]string {
	env := maps.Clone(own)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, l.env)
	return env
}
