// Package flags declares the flags of the built-in agent. weft-agent parses them; weft, which starts that program, uses
// them for its help and its shell completions.
package flags

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"weft/backend/llm/provider"
)

// Help describes the agent and its commands.
const Help = `Weft's built-in agent, speaking the Agent Client Protocol on stdin and stdout.

  weft agent login --provider NAME      save a key in the system keychain
  weft agent logout --provider NAME     remove the key from it

An ACP client, such as Weft, starts it and passes the key through a pipe. With other clients, keys
come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OLLAMA_API_KEY) or from the system
keychain, never from the command line.`

// The accepted values of --mode and --api.
var (
	Modes = []string{"ask", "read-only", "auto"}
	APIs  = []string{"chat", "responses"}
)

// Flags holds the parsed values.
type Flags struct {
	Provider, Model, BaseURL, API, Mode string
	Data                                string // folder of the sessions
	Fetch                               bool
	Context                             int64 // tokens
	MaxTokens                           int
}

// Add registers the flags. Flags after the first argument (login, logout) belong to that command.
func (v *Flags) Add(f *pflag.FlagSet) {
	f.SetInterspersed(false)
	f.StringVar(&v.Provider, "provider", provider.Guide, "the provider: `NAME` is one of "+provider.IDs()+"; guide is the offline guide, which needs no key and no network")
	f.StringVar(&v.Model, "model", "", "the model's `NAME` (default: depends on the provider)")
	f.StringVar(&v.BaseURL, "base-url", "", "`ADDRESS` of the API, if it isn't the provider's own")
	f.StringVar(&v.API, "api", "", "`FORM`: chat or responses, for OpenAI and compatible addresses (default: depends on the model and the address)")
	f.StringVar(&v.Mode, "mode", Modes[0], "`MODE`: ask before changes and commands, read-only, or auto for no questions; a session can change it")
	f.BoolVar(&v.Fetch, "fetch", false, "let the model fetch web pages")
	f.Int64Var(&v.Context, "context", 0, "the model's context window in `TOKENS`, if Weft doesn't know it")
	f.IntVar(&v.MaxTokens, "max-tokens", 0, "the longest answer, in `TOKENS`")
	f.StringVar(&v.Data, "data", defaultData(), "`FOLDER` in which sessions are kept")
}

// defaultData is the folder for sessions in the place where the system keeps an application's data.
func defaultData() string {
	home, _ := os.UserHomeDir()
	base := filepath.Join(home, ".local", "share")
	switch runtime.GOOS {
	case "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	case "windows":
		base = filepath.Join(home, "AppData", "Local")
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			base = dir
		}
	default:
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			base = dir
		}
	}
	return filepath.Join(base, "weft", "agent-sessions")
}
