package agentauth

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"weft/backend/acp"
	"weft/backend/agent"
)

func offered(list string) []acp.AuthMethod {
	return acp.ReadAuthMethods(jsontext.Value(`{"authMethods":` + list + `}`))
}

func TestMethodsOfEveryForm(t *testing.T) {
	config := agent.Config{Name: "Robin", Command: "robin", Args: []string{"acp", "--quiet"}}
	for name, c := range map[string]struct {
		offered string
		want    string
	}{
		"agent":            {`[{"id":"a","name":"A"}]`, "a agent"},
		"agent, named":     {`[{"id":"a","name":"A","type":"agent"}]`, "a agent"},
		"terminal":         {`[{"id":"a","type":"terminal","args":["login","x y"],"env":{"B":"2","N":3}}]`, "a terminal robin acp --quiet login 'x y' map[B:2]"},
		"terminal, a list": {`[{"id":"a","type":"terminal","env":[{"name":"B","value":"2"}]}]`, "a terminal robin acp --quiet map[B:2]"},
		"terminal, wrong":  {`[{"id":"a","type":"terminal","args":"login","env":7}]`, "a terminal robin acp --quiet map[]"},
		"older terminal":   {`[{"id":"a","_meta":{"terminal-auth":{"command":"robin2","args":["auth"],"env":{"C":"3"},"label":"L"}}}]`, "a terminal robin2 auth map[C:3]"},
		// If both are given, the command that the user configured is run.
		"both terminals":  {`[{"id":"a","type":"terminal","args":["x"],"_meta":{"terminal-auth":{"command":"/bin/other"}}}]`, "a terminal robin acp --quiet x map[]"},
		"older, no form":  {`[{"id":"a","_meta":{"terminal-auth":"yes"}}]`, "a agent"},
		"variables":       {`[{"id":"a","type":"env_var","link":"https://x.example/k","vars":[{"name":"K","label":"Key"},{"name":"R","secret":false,"optional":true}]}]`, "a env_var https://x.example/k [{K Key true false} {R  false true}]"},
		"one variable":    {`[{"id":"a","type":"env_var","varName":"K"}]`, "a env_var [{K  true false}]"},
		"wrong variables": {`[{"id":"a","type":"env_var","link":"javascript:x","vars":[{"name":"K"},{"name":"K"},{"name":"A=B"},{"name":""},7,{"name":"x\ny"}]}]`, "a env_var [{K  true false}]"},
		"no variables":    {`[{"id":"a","type":"env_var"}]`, "a env_var !no_variables"},
		"unknown type":    {`[{"id":"a","type":"lunar"}]`, "a lunar !type"},
		"equal ids":       {`[{"id":"a"},{"id":"a","type":"terminal"}]`, "a agent; a terminal robin acp --quiet map[] !same_id"},
		"no id":           {`[{"name":"A"},7,null]`, ""},
	} {
		var got []string
		for _, a := range Methods(config, offered(c.offered)) {
			s := a.ID + " " + a.Type
			if a.Type == ByTerminal {
				s += fmt.Sprint(" ", a.Command, " ", a.login.env)
			}
			if a.Link != "" {
				s += " " + a.Link
			}
			if len(a.Variables) > 0 {
				s += fmt.Sprint(" ", a.Variables)
			}
			if a.Problem != "" {
				s += " !" + a.Problem
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, s, c.want)
		}
	}
	many := Methods(config, offered("["+strings.Repeat(`{"id":"a"},`, 5000)+`{"id":"b"}]`))
	if len(many) != maxMethods {
		t.Errorf("%d methods are listed", len(many))
	}
}

func TestMethodsNamedWithARefusal(t *testing.T) {
	refusal := &acp.RPCError{Code: acp.CodeAuthRequired, Data: jsontext.Value(`{"authMethods":[{"id":"a"}]}`)}
	if list := InRefusal(fmt.Errorf("initialize: %w", refusal)); len(list) != 1 || list[0].ID != "a" {
		t.Errorf("%+v", list)
	}
	for _, err := range []error{nil, errors.New("x"), &acp.RPCError{Code: acp.CodeAuthRequired, Data: jsontext.Value(`"x"`)}, &acp.RPCError{Code: -1, Data: refusal.Data}} {
		if list := InRefusal(err); list != nil {
			t.Errorf("%v: %+v", err, list)
		}
	}
}

// Whatever an agent offers, each usable method has a unique id, a known type, and what that type requires.
func TestMethodsThatCanBeUsedAreComplete(t *testing.T) {
	t.Parallel()
	odd := []string{`7`, `null`, `"x"`, `[]`, `{}`, `["a",1]`, `{"A":"1","B":2}`, `[{"name":"A","value":"1"},7]`, `[{"name":"A"},{"name":"A"},{"name":"x=y"}]`}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.SampledFrom(odd), rapid.Just(`"K"`))
		members := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom([]string{"name", "type", "args", "env", "vars", "varName", "link", "_meta"}).Draw(t, "member")
			switch name {
			case "type":
				return `"type":` + rapid.SampledFrom([]string{`"agent"`, `"terminal"`, `"env_var"`, `"lunar"`, `""`, `3`}).Draw(t, "type")
			case "_meta":
				return `"_meta":{"terminal-auth":{"command":` + rapid.SampledFrom([]string{`"x"`, `""`, `1`}).Draw(t, "command") + `,"args":` + value.Draw(t, "args") + `}}`
			case "link":
				return `"link":` + rapid.SampledFrom([]string{`"https://x.example"`, `"javascript:x"`, `"/x"`, `1`}).Draw(t, "link")
			}
			return `"` + name + `":` + value.Draw(t, "value")
		}), 0, 5)
		method := rapid.Custom(func(t *rapid.T) string {
			parts := append([]string{`"id":` + rapid.SampledFrom([]string{`"a"`, `"b"`, `""`, `4`}).Draw(t, "id")}, members.Draw(t, "members")...)
			return "{" + strings.Join(parts, ",") + "}"
		})
		list := rapid.SliceOfN(method, 0, 30).Draw(t, "methods")
		config := agent.Config{Name: "Robin", Command: "robin"}
		got := Methods(config, offered("["+strings.Join(list, ",")+"]"))
		if got == nil || len(got) > maxMethods {
			t.Fatalf("%d methods, %v", len(got), got == nil)
		}
		usable := map[string]bool{}
		for _, m := range got {
			if m.Problem != "" {
				continue
			}
			if usable[m.ID] {
				t.Fatalf("two methods have the id %q", m.ID)
			}
			usable[m.ID] = true
			switch m.Type {
			case ByAgent:
			case ByTerminal:
				if m.Command == "" || m.login.command == "" {
					t.Fatalf("%+v has no command", m)
				}
			case ByVariables:
				if len(m.Variables) == 0 {
					t.Fatalf("%+v has no variables", m)
				}
				for _, v := range m.Variables {
					if strings.ContainsAny(v.Name, "= \n\x00") || v.Name == "" {
						t.Fatalf("a variable is called %q", v.Name)
					}
				}
			default:
				t.Fatalf("%+v is of an unknown type", m)
			}
			if m.Link != "" && !strings.HasPrefix(m.Link, "https://") {
				t.Fatalf("a link to %q", m.Link)
			}
		}
	})
}
