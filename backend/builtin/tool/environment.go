package tool

import (
	"os"
	"strings"
)

// secretNames are the variables in which keys of providers are kept, beside those that end like keys of one.
var secretNames = map[string]bool{
	"ANTHROPIC_AUTH_TOKEN": true, "GOOGLE_APPLICATION_CREDENTIALS_JSON": true, "HUGGING_FACE_HUB_TOKEN": true, "HF_TOKEN": true,
}

// providers whose variables that end in _API_KEY, _KEY or _TOKEN are theirs.
var providers = []string{
	"OPENAI_", "AZURE_OPENAI_", "ANTHROPIC_", "CLAUDE_", "GEMINI_", "GOOGLE_", "OLLAMA_", "MISTRAL_", "GROQ_", "OPENROUTER_", "XAI_",
	"DEEPSEEK_", "COHERE_", "TOGETHER_", "FIREWORKS_", "PERPLEXITY_", "MOONSHOT_", "DASHSCOPE_", "ZAI_", "CEREBRAS_", "WEFT_",
}

// ProviderKey reports whether an environment variable holds a model provider's key, which nothing that the
// agent starts is given.
func ProviderKey(name string) bool {
	name = strings.ToUpper(name)
	if secretNames[name] {
		return true
	}
	if !strings.HasSuffix(name, "_KEY") && !strings.HasSuffix(name, "_TOKEN") && !strings.HasSuffix(name, "_KEYS") {
		return false
	}
	for _, p := range providers {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// quiet is what a command gets beside the agent's environment: nobody sits before it, and nothing pages.
var quiet = []string{"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "NO_COLOR=1"}

// environment is the agent's own without the keys of providers.
func environment() []string {
	var env []string
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); !ProviderKey(name) {
			env = append(env, pair)
		}
	}
	return append(env, quiet...)
}

// ProviderKeys are the names of the keys in the agent's environment.
func ProviderKeys() []string {
	var names []string
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); ProviderKey(name) {
			names = append(names, name)
		}
	}
	return names
}
