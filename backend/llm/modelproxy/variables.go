package modelproxy

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"weft/backend/base/httpguard"
)

// provider is a model provider whose address is in an environment variable.
type provider struct {
	variable string
	agents   []string // agents that use the fallback without the variable
	fallback string   // default address
	keys     []string // the fallback is used only if the agent has one of these variables; without a key it may use a subscription
}

var providers = []provider{
	{"ANTHROPIC_BASE_URL", []string{"claude"}, "https://api.anthropic.com", []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}},
	{"GOOGLE_GEMINI_BASE_URL", []string{"gemini"}, "https://generativelanguage.googleapis.com", []string{"GEMINI_API_KEY"}},
	{"OPENAI_BASE_URL", nil, "", nil}, // agents have different defaults
	{"OPENAI_API_BASE", nil, "", nil},
	{"COPILOT_PROVIDER_BASE_URL", nil, "", nil},
}

// endings are the suffixes of variables with addresses of models. They apply only to variables that the user set for
// the agent.
var endings = []string{"_BASE_URL", "_API_BASE", "_API_URL", "_LLM_URL", "_MODEL_URL"}

// Variables returns the environment variables of an agent to point to the proxy, with their original addresses: those
// that are set, and the provider's default if the agent is known to use it and has a key for it. agent is the known
// name of the agent ("claude"), get looks up a variable, own are the variables that the user set for the agent, and
// more are further names of variables with addresses of models.
func Variables(agent string, get func(name string) string, own, more []string) map[string]string {
	found := map[string]string{}
	add := func(name string) {
		if u, err := url.Parse(get(name)); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			found[name] = get(name)
		}
	}
	for _, p := range providers {
		add(p.variable)
		if found[p.variable] == "" && slices.Contains(p.agents, agent) && slices.ContainsFunc(p.keys, func(key string) bool { return get(key) != "" }) && get(p.variable) == "" {
			found[p.variable] = p.fallback
		}
	}
	for _, name := range own {
		if slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(strings.ToUpper(name), ending) }) {
			add(name)
		}
	}
	for _, name := range more {
		add(name)
	}
	return found
}

// Direct returns the variables that keep a program from using an HTTP proxy for the model proxy, or nil if it uses
// none.
func Direct(get func(name string) string) map[string]string {
	uses := slices.ContainsFunc([]string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}, func(name string) bool { return get(name) != "" })
	listed := cmp.Or(get("NO_PROXY"), get("no_proxy"))
	if !uses || slices.Contains(strings.Split(listed, ","), "127.0.0.1") {
		return nil
	}
	if listed != "" {
		listed += ","
	}
	return map[string]string{"NO_PROXY": listed + "127.0.0.1", "no_proxy": listed + "127.0.0.1"}
}

// Loopback reports whether an address is on this machine.
func Loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return httpguard.Loopback(u.Hostname())
}
