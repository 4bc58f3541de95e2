package builtin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"weft/backend/base/commandline"
	"weft/backend/base/fault"
	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// keys finds the API key of a provider: from the pipe or the environment (see secret.Withhold), or else in the system
// keychain. It adds each key that it finds to the redactor.
type keys struct {
	from provider.Provider
	hide *secret.Redactor

	mu      sync.Mutex
	value   string
	fromEnv bool
	asked   bool // the keychain has answered
	// elsewhere means that requests go to another server than the provider's own, which must not get the key from the
	// keychain.
	elsewhere bool
}

// keychainTimeout is how long the keychain may take. The user may have to unlock it.
const keychainTimeout = 20 * time.Second

func newKeys(p provider.Provider, hide *secret.Redactor) *keys {
	k := &keys{from: p, hide: hide}
	for _, other := range provider.All() {
		for _, name := range other.KeyVariables() {
			value := strings.TrimSpace(secret.Getenv(name))
			if value == "" {
				continue
			}
			hide.Add(value)
			if other.ID == p.ID && k.value == "" {
				k.value, k.fromEnv = value, true
			}
		}
	}
	return k
}

// get returns the key, or "". The first call may block on the keychain.
func (k *keys) get(ctx context.Context) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.value != "" || k.asked || k.elsewhere || k.from.KeyEnv == "" {
		return k.value
	}
	ctx, cancel := context.WithTimeout(ctx, keychainTimeout)
	defer cancel()
	value, err := secret.Named(ctx, keyAccount(k.from))
	k.asked = err == nil || ctx.Err() == nil
	k.value = strings.TrimSpace(value)
	k.hide.Add(k.value)
	return k.value
}

// forget makes the next get ask the keychain again, which may have another key by now.
func (k *keys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = false
	if !k.fromEnv {
		k.value = ""
	}
}

// waysToSignIn returns the sign-in methods: an environment variable that the client sets when it restarts the agent, or
// a terminal command that saves the key in the keychain.
func (k *keys) waysToSignIn() []acp.AuthMethod {
	p := k.from
	if p.KeyEnv == "" {
		return []acp.AuthMethod{}
	}
	variable := &acp.AuthMethodEnvVarInline{
		Id: "key", Name: fault.Text("API key for {{provider}}", p.Name), Type: "env_var", Vars: []acp.AuthEnvVar{{Name: p.KeyEnv, Label: acp.Ptr(fault.Text("Key"))}},
		Description: acp.Ptr(string(provider.KeyInClient)),
	}
	if p.KeyPage != "" {
		variable.Link = acp.Ptr(p.KeyPage)
	}
	if k.elsewhere {
		return []acp.AuthMethod{{EnvVar: variable}}
	}
	return []acp.AuthMethod{
		{EnvVar: variable},
		{Terminal: &acp.AuthMethodTerminalInline{
			Id: "keychain", Name: string(provider.KeyInKeychain), Type: "terminal", Args: []string{"login", "--provider", p.ID},
			Description: acp.Ptr(string(provider.KeyForAll)),
		}},
	}
}

// keyAccount returns the name of a provider's key in the keychain.
func keyAccount(p provider.Provider) string { return "agent-" + p.ID }

// whatItDoes has the help of the commands for keys.
var whatItDoes = map[string]string{
	"login":  "weft agent login saves the key of a provider in the system keychain. It reads the key from standard input.",
	"logout": "weft agent logout removes the key of a provider from the system keychain.",
}

// loginMain implements "weft agent login" and "logout". It reads the key from stdin, without echo if that is a
// terminal.
func loginMain(ctx context.Context, what string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f := pflag.NewFlagSet("weft agent "+what, pflag.ContinueOnError)
	f.Usage = func() { fmt.Fprintf(stdout, "%s\n\nFlags:\n%s", whatItDoes[what], f.FlagUsages()) }
	name := f.String("provider", "", "the provider of the key: `NAME` is openai, anthropic, google or ollama")
	err := f.Parse(commandline.TwoDashes(args, f))
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	}
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "weft agent %s: %v. See weft agent %s --help.\n", what, err, what)
		return 2
	}
	p, known := provider.ByID(*name)
	if !known || p.KeyEnv == "" {
		fmt.Fprintf(stderr, "weft agent %s: choose a provider with --provider openai, anthropic, google or ollama.\n", what)
		return 2
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if what == "logout" {
		if err := secret.ForgetNamed(ctx, keyAccount(p)); err != nil {
			fmt.Fprintf(stderr, "weft agent: %v\n", err)
			return 1
		}
		fmt.Fprintf(stdout, "The key for %s is no longer in the keychain.\n", p.Name)
		return 0
	}
	if p.KeyPage != "" {
		fmt.Fprintf(stdout, "A key for %s: %s\n", p.Name, p.KeyPage)
	}
	key, err := readKey(stdin, stdout)
	if err == nil && key == "" {
		err = errors.New("no key was entered")
	}
	if err == nil {
		err = secret.KeepNamed(ctx, keyAccount(p), key)
	}
	if err != nil {
		fmt.Fprintf(stderr, "weft agent: %v Or set %s.\n", dotted(err), p.KeyEnv)
		return 1
	}
	fmt.Fprintf(stdout, "The key for %s is in the system keychain.\n", p.Name)
	return 0
}

func dotted(err error) string { return strings.TrimRight(err.Error(), ".") + "." }

func readKey(stdin io.Reader, stdout io.Writer) (string, error) {
	if f, ok := stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(stdout, "Key (not shown): ")
		b, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(stdout)
		return strings.TrimSpace(string(b)), err
	}
	line, err := bufio.NewReader(io.LimitReader(stdin, secret.MaxValue+2)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}
