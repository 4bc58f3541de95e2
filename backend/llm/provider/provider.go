// Package provider is the table of model providers: what each is called, where it is, and which key it wants.
// The agent, the settings and their forms read it.
package provider

import (
	"net/url"
	"strings"

	"weft/backend/base/fault"
)

// Provider is a company or a server that offers models.
type Provider struct {
	ID   string // of --provider and the settings: "openai"
	Name string // for people: "OpenAI"
	// BaseURL is where its API is if nobody says otherwise; "" for the guide, which has none.
	BaseURL string
	// KeyEnv is the environment variable of its key, "" where there are no keys.
	KeyEnv string
	// KeyPage is where a user gets a key, as an address to open; "" where there is none.
	KeyPage string
	// Model is chosen if nobody chooses; "" where it depends on what is installed.
	Model string
	// Local says that it usually runs on the user's own machine.
	Local bool
	// NeedsKey says that its own address answers nobody without a key; see [Provider.WantsKey].
	NeedsKey bool
	// APIs are the values of --api, the usual one first; none where there is one way only.
	APIs []string
}

// What the built-in agent says of its ways to sign in, for the window to find their translations.
const (
	KeyInClient   fault.Template = "An API key, which the client stores."
	KeyInKeychain fault.Template = "Save a key in the system keychain"
	KeyForAll     fault.Template = "Every client that starts this agent can use it."
)

// The ids.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Google    = "google"
	Ollama    = "ollama"
	Guide     = "guide"
)

var all = []Provider{
	{ID: OpenAI, Name: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", KeyPage: "https://platform.openai.com/api-keys", Model: "gpt-6.1-sol", NeedsKey: true, APIs: []string{"responses", "chat"}},
	{ID: Anthropic, Name: "Anthropic", BaseURL: "https://api.anthropic.com", KeyEnv: "ANTHROPIC_API_KEY", KeyPage: "https://console.anthropic.com/settings/keys", Model: "claude-sonnet-5-5", NeedsKey: true},
	{ID: Google, Name: "Google", BaseURL: "https://generativelanguage.googleapis.com", KeyEnv: "GEMINI_API_KEY", KeyPage: "https://aistudio.google.com/apikey", Model: "gemini-flash-latest", NeedsKey: true},
	{ID: Ollama, Name: "Ollama", BaseURL: "http://127.0.0.1:11434", KeyEnv: "OLLAMA_API_KEY", Local: true},
	{ID: Guide, Name: "Offline guide", Model: "guide", Local: true},
}

// KeyVariables are the environment variables in which a key of the provider is looked for, the usual one first.
func (p Provider) KeyVariables() []string {
	switch {
	case p.KeyEnv == "":
		return nil
	case p.ID == Google:
		return []string{p.KeyEnv, "GOOGLE_API_KEY"}
	}
	return []string{p.KeyEnv}
}

// All lists the providers in the order in which they are offered.
func All() []Provider { return append([]Provider(nil), all...) }

// ByID finds a provider.
func ByID(id string) (Provider, bool) {
	for _, p := range all {
		if p.ID == id {
			return p, true
		}
	}
	return Provider{}, false
}

// IDs lists the ids, for a sentence or a flag: "openai, anthropic, google, ollama, guide".
func IDs() string {
	var ids []string
	for _, p := range all {
		ids = append(ids, p.ID)
	}
	return strings.Join(ids, ", ")
}

// WantsKey reports whether requests to a base URL ("" for the provider's own) cannot do without a key. Another
// address than the provider's own may be a server on this machine that knows no keys, so there it is left to try.
func (p Provider) WantsKey(baseURL string) bool {
	return p.NeedsKey && (baseURL == "" || host(baseURL) == host(p.BaseURL))
}

// Compatible reports whether a base URL is someone else's than the provider's own.
func (p Provider) Compatible(baseURL string) bool {
	return baseURL != "" && host(baseURL) != host(p.BaseURL)
}

// Where says whose models they are at a base URL, for people: "OpenAI", or the host of a compatible server.
func (p Provider) Where(baseURL string) string {
	if p.Compatible(baseURL) && host(baseURL) != "" {
		return host(baseURL)
	}
	return p.Name
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.ToLower(u.Host)
}
