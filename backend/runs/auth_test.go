package runs

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/secret"
	"weft/backend/settings"
)

func authTold(list string) []acp.AuthMethod {
	return acp.ReadAuthMethods(jsontext.Value(`{"authMethods":` + list + `}`))
}

func TestAuthMethods(t *testing.T) {
	config := agent.Config{Name: "Robin", Command: "robin", Args: []string{"acp", "--quiet"}}
	for name, c := range map[string]struct {
		told string
		want string
	}{
		"agent":            {`[{"id":"a","name":"A"}]`, "a agent"},
		"agent, named":     {`[{"id":"a","name":"A","type":"agent"}]`, "a agent"},
		"terminal":         {`[{"id":"a","type":"terminal","args":["login","x y"],"env":{"B":"2","N":3}}]`, "a terminal robin acp --quiet login 'x y' map[B:2]"},
		"terminal, a list": {`[{"id":"a","type":"terminal","env":[{"name":"B","value":"2"}]}]`, "a terminal robin acp --quiet map[B:2]"},
		"terminal, wrong":  {`[{"id":"a","type":"terminal","args":"login","env":7}]`, "a terminal robin acp --quiet map[]"},
		"older terminal":   {`[{"id":"a","_meta":{"terminal-auth":{"command":"robin2","args":["auth"],"env":{"C":"3"},"label":"L"}}}]`, "a terminal robin2 auth map[C:3]"},
		// Where both are given, the command that the person has configured is run.
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
		for _, a := range AuthMethods(config, authTold(c.told)) {
			s := a.ID + " " + a.Type
			if a.Type == AuthTerminal {
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
	many := AuthMethods(config, authTold("["+strings.Repeat(`{"id":"a"},`, 5000)+`{"id":"b"}]`))
	if len(many) != maxAuth {
		t.Errorf("%d ways are told", len(many))
	}
}

func TestMethodsNamedWithARefusal(t *testing.T) {
	refusal := &acp.RPCError{Code: acp.CodeAuthRequired, Data: jsontext.Value(`{"authMethods":[{"id":"a"}]}`)}
	if list := namedMethods(fmt.Errorf("initialize: %w", refusal)); len(list) != 1 || list[0].ID != "a" {
		t.Errorf("%+v", list)
	}
	for _, err := range []error{nil, errors.New("x"), &acp.RPCError{Code: acp.CodeAuthRequired, Data: jsontext.Value(`"x"`)}, &acp.RPCError{Code: -1, Data: refusal.Data}} {
		if list := namedMethods(err); list != nil {
			t.Errorf("%v: %+v", err, list)
		}
	}
}

func TestServersWithSecrets(t *testing.T) {
	asked := []string{}
	locked := &secret.Error{Code: secret.CodeLocked, Message: "The keychain is locked."}
	kept := map[string]string{"file:a": "value-a", "file:b": "two\nlines"}
	read := Reader(t.Context(), func(_ context.Context, ref string) (string, error) {
		asked = append(asked, ref)
		if value, ok := kept[ref]; ok {
			return value, nil
		}
		if strings.HasPrefix(ref, "keychain:") {
			return "", locked
		}
		return "", &secret.Error{Code: secret.CodeMissing, Message: "It is not there."}
	})
	list := []settings.MCPServer{
		{Name: "one", Type: "stdio", Command: "x", Env: map[string]string{"P": "plain"}, SecretEnv: map[string]string{"S": "file:a"}},
		{Name: "two", Type: "stdio", Command: "x", SecretEnv: map[string]string{"S": "keychain:x"}},
		{Name: "three", Type: "http", URL: "http://x", SecretHeaders: map[string]string{"H": "keychain:y"}},
		{Name: "four", Type: "http", URL: "http://x", SecretHeaders: map[string]string{"H": "file:b"}},
		{Name: "five", Type: "sse", URL: "http://x", SecretHeaders: map[string]string{"H": "file:gone"}},
		{Name: "six", Type: "sse", URL: "http://x", SecretHeaders: map[string]string{"H": "file:a"}},
	}
	out, handed := servers(list, acp.AgentCapabilities{MCPHTTP: true, MCPSSE: true}, true, read)
	var names []string
	for _, h := range handed {
		switch {
		case h.Handed:
			names = append(names, h.Name)
		case h.Why != "secret" || h.Problem == "" || strings.Contains(h.Problem, "lines"):
			t.Errorf("%+v", h)
		}
	}
	if !slices.Equal(names, []string{"one", "six"}) || len(out) != 2 {
		t.Errorf("handed: %v", names)
	}
	if env := out[0].Stdio.Env; len(env) != 2 || env[1].Value != "value-a" {
		t.Errorf("%+v", env)
	}
	// A keychain that did not open once is not asked for every server.
	if want := []string{"file:a", "keychain:x", "file:b", "file:gone", "file:a"}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked for %v", asked)
	}
}
