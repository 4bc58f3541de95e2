package modelproxy

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/lazyregexp"
	"weft/backend/files/regular"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// opencodeContent is the variable with a part of opencode's configuration, which contains the addresses of its models.
const opencodeContent = "OPENCODE_CONFIG_CONTENT"

// openCodeOwn are the providers that opencode uses without configuration if it has a key for them.
var openCodeOwn = []struct{ id, address, key string }{
	{"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
	{"openai", "https://api.openai.com/v1", "OPENAI_API_KEY"},
	{"google", "https://generativelanguage.googleapis.com/v1beta", "GOOGLE_GENERATIVE_AI_API_KEY"},
}

// openCodeLogins are the logins that opencode stores, by provider. The type is "api" for a key and "oauth" for a
// subscription.
type openCodeLogins map[string]struct {
	Type string `json:"type"`
}

// logins reads opencode's logins. It returns none if they can't be read.
func logins(get func(string) string) (kept openCodeLogins) {
	data := cmp.Or(get("XDG_DATA_HOME"), filepath.Join(get("HOME"), ".local", "share"))
	if text, err := regular.ReadPath(filepath.Join(data, "opencode", "auth.json"), maxConfig); err == nil {
		_ = json.Unmarshal(text, &kept, jsontext.AllowDuplicateNames(true)) // invalid counts as none
	}
	return kept
}

// openCodeConfig is the relevant part of a configuration.
type openCodeConfig struct {
	Providers map[string]struct {
		Options struct {
			BaseURL string `json:"baseURL"`
		} `json:"options"`
	} `json:"provider"`
}

// OpenCode returns the environment variable that makes opencode use other addresses for its models. route returns the
// replacement of each address. If there are none, value is "". A provider for which opencode uses a subscription keeps
// its address. folder is opencode's working directory.
func OpenCode(get func(name string) string, folder string, route func(upstream string) (string, error)) (name, value string) {
	addresses, kept := map[string]string{}, logins(get)
	for _, own := range openCodeOwn {
		if get(own.key) != "" || kept[own.id].Type == "api" {
			addresses[own.id] = own.address
		}
	}
	for _, text := range openCodeTexts(get, folder) {
		var config openCodeConfig
		if json.Unmarshal(plainJSON(text), &config, jsontext.AllowDuplicateNames(true)) != nil {
			continue // opencode reports it
		}
		for id, p := range config.Providers {
			if p.Options.BaseURL != "" {
				addresses[id] = resolved(p.Options.BaseURL, get)
			}
		}
	}
	maps.DeleteFunc(addresses, func(id, _ string) bool { return kept[id].Type == "oauth" })
	providers := map[string]jsontext.Value{}
	content := map[string]jsontext.Value{}
	if given := get(opencodeContent); given != "" {
		if json.Unmarshal(plainJSON([]byte(given)), &content) != nil {
			return opencodeContent, ""
		}
		_ = json.Unmarshal(content["provider"], &providers) // invalid counts as none
	}
	some := false
	for id, upstream := range addresses {
		if base, err := route(upstream); err == nil {
			providers[id] = withBaseURL(providers[id], base)
			some = true
		}
	}
	if !some {
		return opencodeContent, ""
	}
	content["provider"], _ = json.Marshal(providers, json.Deterministic(true)) // valid JSON
	all, _ := json.Marshal(content, json.Deterministic(true))
	return opencodeContent, string(all)
}

// openCodeTexts returns opencode's configurations, with increasing precedence.
func openCodeTexts(get func(string) string, folder string) (texts [][]byte) {
	add := func(files ...string) {
		for _, file := range files {
			if text, err := regular.ReadPath(file, maxConfig); err == nil {
				texts = append(texts, text)
			}
		}
	}
	home := get("HOME")
	global := filepath.Join(cmp.Or(get("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "opencode")
	add(filepath.Join(global, "config.json"), filepath.Join(global, "opencode.json"), filepath.Join(global, "opencode.jsonc"))
	if file := get("OPENCODE_CONFIG"); file != "" {
		add(file)
	}
	var above []string
	for dir := filepath.Clean(folder); ; dir = filepath.Dir(dir) {
		above = append([]string{dir}, above...)
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	for _, dir := range above {
		add(filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"), filepath.Join(dir, ".opencode", "opencode.json"), filepath.Join(dir, ".opencode", "opencode.jsonc"))
	}
	if content := get(opencodeContent); content != "" {
		texts = append(texts, []byte(content))
	}
	return texts
}

// withBaseURL returns a provider's configuration with another address.
func withBaseURL(provider jsontext.Value, base string) jsontext.Value {
	of, options := map[string]jsontext.Value{}, map[string]jsontext.Value{}
	_ = json.Unmarshal(provider, &of) // invalid counts as none
	_ = json.Unmarshal(of["options"], &options)
	options["baseURL"], _ = json.Marshal(base)
	of["options"], _ = json.Marshal(options, json.Deterministic(true))
	out, _ := json.Marshal(maps.Clone(of), json.Deterministic(true))
	return out
}

var reference = lazyregexp.New(`\{env:([^}]+)\}`)

// resolved replaces the references to environment variables in a configuration.
func resolved(address string, get func(string) string) string {
	return reference.ReplaceAllStringFunc(address, func(ref string) string { return get(reference.FindStringSubmatch(ref)[1]) })
}

// plainJSON removes comments and trailing commas from JSON.
func plainJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			out = append(out, text[i:end]...)
			i = end - 1
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := strings.Index(string(text[i:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 1
		case c == '}' || c == ']':
			n := len(out)
			for n > 0 && strings.IndexByte(" \t\r\n", out[n-1]) >= 0 {
				n--
			}
			if n > 0 && out[n-1] == ',' {
				out = append(out[:n-1], out[n:]...)
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}
