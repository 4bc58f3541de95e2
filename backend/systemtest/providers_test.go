//go:build linux

package systemtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"weft/backend/api/service/agents"
	"weft/backend/settings"
)

func init() { addScript("provided", provided) }

// modelVariable names the model of a provided agent. Weft doesn't know it, as if the agent had the address from a file of its own.
const modelVariable = "SCRIPTED_MODEL"

// provided is an agent that can be told where its model is (providers/list, providers/set). Its first argument is how it calls a provider's id: the
// draft of the protocol has changed that. In each turn it asks its model once, and says what it was told.
func provided(a *scripted) {
	at, headers, said := os.Getenv(modelVariable), map[string]string{"x-api-key": "its own key"}, "nothing"
	a.initialize(`{"providers":{}}`)
	for {
		m := a.next(func(m message) bool { return m.Method != "" && m.ID != nil })
		switch m.Method {
		case "providers/list":
			a.respond(m.ID, `{"providers":[{"`+a.args[0]+`":"main","supported":["anthropic"],"required":true,"current":{"apiType":"anthropic","baseUrl":`+quote(at)+`}},{"`+a.args[0]+`":"off","supported":["openai"],"required":false,"current":null}]}`)
		case "providers/set":
			var whole struct {
				Params map[string]any `json:"params"`
			}
			_ = json.Unmarshal([]byte(m.line), &whole)
			p := whole.Params
			id, _ := p[a.args[0]].(string)
			kind, _ := p["apiType"].(string)
			base, _ := p["baseUrl"].(string)
			given, isObject := p["headers"].(map[string]any)
			if id != "main" || kind != "anthropic" || base == "" || !isObject {
				a.refuse(m.ID, -32602, "Invalid params")
				continue
			}
			at, said, headers = base, "main", map[string]string{}
			for name, value := range given {
				headers[name], _ = value.(string)
			}
			a.respond(m.ID, "{}")
		case "session/new":
			a.respond(m.ID, `{"sessionId":`+quote(a.session)+`}`)
		case "session/prompt":
			a.turn = m.ID
			a.say("Told: " + said + ". Model: " + a.asksModel(at, headers))
			a.end("end_turn")
		default:
			a.respond(m.ID, "{}")
		}
	}
}

// asksModel asks the model once and returns how that went.
func (a *scripted) asksModel(at string, headers map[string]string) string {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, at+"/v1/messages", strings.NewReader(`{}`))
	if err != nil {
		return err.Error()
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.Status
}

// TestProvidersOfAgentsPointToTheProxy: an agent with the capability is told the proxy's address before its first session, with the key that it would have
// used, and its model's answers are read along.
func TestProvidersOfAgentsPointToTheProxy(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 10)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		keys <- r.Header.Get("X-Api-Key")
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"message_start","message":{"model":"m-1","usage":{"input_tokens":10,"cache_read_input_tokens":300,"output_tokens":1}}}`,
			`{"type":"message_delta","usage":{"output_tokens":40}}`, `{"type":"message_stop"}`,
		} {
			_, _ = io.WriteString(w, "data: "+event+"\n\n")
		}
	}))
	t.Cleanup(model.Close)
	a := launch(t, t.TempDir())
	for name, c := range map[string]struct {
		member string
		env    map[string]string
		proxy  *settings.ModelProxy
		told   string
		key    string
		count  int
	}{
		"with a key":                     {"providerId", map[string]string{"ANTHROPIC_API_KEY": thinkersKey}, &settings.ModelProxy{}, "main", thinkersKey, 1},
		"by the draft before":            {"id", map[string]string{"ANTHROPIC_API_KEY": thinkersKey}, &settings.ModelProxy{}, "main", thinkersKey, 1},
		"without a key, on this machine": {"providerId", nil, &settings.ModelProxy{}, "main", "", 1},
		"with the proxy off":             {"providerId", map[string]string{"ANTHROPIC_API_KEY": thinkersKey}, nil, "nothing", "its own key", 0},
	} {
		t.Run(name, func(t *testing.T) {
			ctl := listen(t)
			env := map[string]string{controlVariable: ctl.l.Addr().String(), modelVariable: model.URL}
			for k, v := range c.env {
				env[k] = v
			}
			var saved agents.Agent
			a.do(t, "SaveAgent", agents.SaveAgentRequest{
				Name: "Provided", Command: scriptedProgram, Args: []string{"scripted", "provided", c.member}, Cwd: "space", ModelProxy: c.proxy, Env: env,
			}, &saved)
			r := a.enter(t, t.TempDir(), saved.ID)
			r.steer(ctl)
			t.Cleanup(r.st.close)
			r.st.reset()
			r.send(t, "Think")
			r.ended(t, "end_turn")
			if got, want := r.agentText(), "Told: "+c.told+". Model: 200 OK"; got != want {
				t.Errorf("%q, want %q", got, want)
			}
			if got := <-keys; got != c.key {
				t.Errorf("the model got the key %q, want %q", got, c.key)
			}
			var usage struct {
				Count  int   `json:"requestCount"`
				Output int64 `json:"outputTokens"`
			}
			r.st.now(func(v *seen) {
				if raw := v.message().Usage; raw != nil {
					if err := json.Unmarshal(raw, &usage); err != nil {
						t.Error(err)
					}
				}
			})
			if usage.Count != c.count || usage.Output != int64(40*c.count) {
				t.Errorf("read along: %+v", usage)
			}
			r.check(t)
		})
	}
	a.keepsNothingOf(t, thinkersKey)
}

// TestProvidersFarAwayWithoutAKeyAreLeftAlone: the agent may be signed in there by a subscription, which providers/set would take the place of.
func TestProvidersFarAwayWithoutAKeyAreLeftAlone(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	ctl := listen(t)
	var saved agents.Agent
	a.do(t, "SaveAgent", agents.SaveAgentRequest{
		Name: "Provided", Command: scriptedProgram, Args: []string{"scripted", "provided", "providerId"}, Cwd: "space", ModelProxy: &settings.ModelProxy{},
		Env: map[string]string{controlVariable: ctl.l.Addr().String(), modelVariable: "https://models.invalid"},
	}, &saved)
	r := a.enter(t, t.TempDir(), saved.ID)
	r.steer(ctl)
	t.Cleanup(r.st.close)
	r.st.reset()
	r.send(t, "Think")
	r.ended(t, "end_turn")
	if got := r.agentText(); !strings.HasPrefix(got, "Told: nothing. ") {
		t.Errorf("%q", got)
	}
}
