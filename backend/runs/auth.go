package runs

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
	"weft/backend/terminal"
)

// Auth is a way to sign in that an agent has told.
type Auth struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitzero"`
	Type        string     `json:"type"`
	Command     string     `json:"command,omitzero"`    // terminal: the command line that is run
	Variables   []Variable `json:"variables,omitempty"` // env_var: what the agent's environment has to have
	Link        string     `json:"link,omitzero"`       // env_var: where the person gets the values
	// Problem is why the way is told, but not offered: type (Weft does not know it), same_id (another one
	// has its id), or no_variables.
	Problem string `json:"problem,omitzero"`

	login login
}

// The types of [Auth].
const (
	AuthAgent     = "agent"    // the agent does so by itself
	AuthTerminal  = "terminal" // its command is run in a terminal
	AuthVariables = "env_var"  // it reads its environment
)

// Variable is an environment variable that signs in.
type Variable struct {
	Name     string `json:"name"`
	Label    string `json:"label,omitzero"`
	Secret   bool   `json:"secret"`
	Optional bool   `json:"optional,omitzero"`
}

// login is the command of a way to sign in in a terminal.
type login struct {
	command string
	args    []string
	env     map[string]string // stronger than the agent's own
}

// The bounds of what is offered.
const (
	maxAuth      = 20
	maxVariables = 20
)

// terminalMeta is where agents put the command of a sign-in in a terminal before ACP had a type for it.
const terminalMeta = "terminal-auth"

// AuthMethods reads the ways to sign in that an agent has told. What Weft cannot offer is told with its
// problem.
func AuthMethods(config agent.Config, told []acp.AuthMethod) []Auth {
	list := []Auth{}
	for _, m := range told[:min(len(told), maxAuth)] {
		a := readAuth(config, m)
		if slices.ContainsFunc(list, func(b Auth) bool { return b.ID == a.ID }) {
			a.Problem = "same_id"
		}
		list = append(list, a)
	}
	return list
}

// authFields are what a method may have; each is read by itself, so that one of another shape leaves the others be.
type authFields struct {
	Args    jsontext.Value            `json:"args"`
	Env     jsontext.Value            `json:"env"`
	Vars    jsontext.Value            `json:"vars"`
	VarName string                    `json:"varName"`
	Link    string                    `json:"link"`
	Meta    map[string]jsontext.Value `json:"_meta"`
}

func readAuth(config agent.Config, m acp.AuthMethod) Auth {
	a := Auth{ID: m.ID, Name: m.Name, Description: m.Description, Type: cmp.Or(m.Type, AuthAgent)}
	var f authFields
	_ = json.Unmarshal(m.Raw, &f) // what is of another shape is not there
	switch a.Type {
	case AuthTerminal:
		a.login = login{command: config.Command, args: slices.Concat(config.Args, texts(f.Args)), env: textsByName(f.Env)}
	case AuthVariables:
		a.Variables = readVariables(f)
		if len(a.Variables) == 0 {
			a.Problem = "no_variables"
		}
		if u, err := url.Parse(f.Link); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			a.Link = f.Link
		}
	case AuthAgent:
		var older struct {
			Command string         `json:"command"`
			Args    jsontext.Value `json:"args"`
			Env     jsontext.Value `json:"env"`
		}
		if raw := f.Meta[terminalMeta]; raw != nil && json.Unmarshal(raw, &older) == nil && older.Command != "" {
			a.Type, a.login = AuthTerminal, login{command: older.Command, args: texts(older.Args), env: textsByName(older.Env)}
		}
	default:
		a.Problem = "type"
	}
	if a.Type == AuthTerminal {
		a.Command = terminal.Spec{Command: a.login.command, Args: a.login.args}.Line()
	}
	return a
}

func readVariables(f authFields) []Variable {
	var told []jsontext.Value
	_ = json.Unmarshal(f.Vars, &told)
	if f.VarName != "" {
		one, _ := json.Marshal(map[string]string{"name": f.VarName})
		told = append(told, one)
	}
	var list []Variable
	for _, raw := range told[:min(len(told), maxVariables)] {
		v := struct {
			Name     string `json:"name"`
			Label    string `json:"label"`
			Secret   *bool  `json:"secret"`
			Optional bool   `json:"optional"`
		}{}
		if json.Unmarshal(raw, &v) != nil || !validVariable(v.Name) || slices.ContainsFunc(list, func(b Variable) bool { return b.Name == v.Name }) {
			continue
		}
		list = append(list, Variable{Name: v.Name, Label: v.Label, Secret: v.Secret == nil || *v.Secret, Optional: v.Optional})
	}
	return list
}

// validVariable keeps an agent from having the person set what changes how programs are started.
func validVariable(name string) bool {
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

func texts(v jsontext.Value) []string {
	var list []string
	if json.Unmarshal(v, &list) != nil {
		return nil
	}
	return list
}

// textsByName reads variables given as an object, or as a list of names and values.
func textsByName(v jsontext.Value) map[string]string {
	var object map[string]jsontext.Value
	out := map[string]string{}
	if json.Unmarshal(v, &object) == nil {
		for name, raw := range object {
			if s, ok := textOf(raw); ok {
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

// namedMethods answers the ways to sign in that an agent names with its refusal.
func namedMethods(err error) []acp.AuthMethod {
	var refused *acp.RPCError
	if !errors.As(err, &refused) || refused.Code != acp.CodeAuthRequired {
		return nil
	}
	return acp.ReadAuthMethods(refused.Data)
}

// environ is the environment of a sign-in in a terminal: the agent's, and over it that of the way.
func (a Auth) environ(own map[string]string) map[string]string {
	env := maps.Clone(own)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, a.login.env)
	return env
}
