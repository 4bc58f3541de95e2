package modelproxy

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"weft/backend/httpguard"
)

// provider is one whose address an environment variable says.
type provider struct {
	variable string
	agents   []string // that use it, and without it the default
	fallback string   // the default
	keys     []string // variables without one of which the agent is not sent elsewhere than by the default: it may be signed in with a subscription
}

var providers = []provider{
	{"ANTHROPIC_BASE_URL", []string{"claude"}, "https://api.anthropic.com", []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}},
	{"GOOGLE_GEMINI_BASE_URL", []string{"gemini"}, "https://generativelanguage.googleapis.com", []string{"GEMINI_API_KEY"}},
	{"OPENAI_BASE_URL", nil, "", nil}, // agents have different defaults for it
	{"OPENAI_API_BASE", nil, "", nil},
	{"COPILOT_PROVIDER_BASE_URL", nil, "", nil},
}

// endings are those of variables with addresses of models. They count where the user wrote the variable down for the agent.
var endings = []string{"_BASE_URL", "_API_BASE", "_API_URL", "_LLM_URL", "_MODEL_URL"}

// Variables returns the environment variables of an agent that are to name the proxy, with the addresses that they stand for: those that
// it has, and where it is known to use one and has a key for it, the provider's own. agent is what the agent is known as ("claude"), get looks a
// variable up, own are those that the user wrote down for the agent, more are further names that hold addresses of models.
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

// Direct returns the variables that keep a program from reaching the proxy through an HTTP proxy; none where it uses none.
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
