package shell

// globalOptions are the global options of programs, with and without a value in the next word. For any other option,
// the next word may be its value.
var globalOptions = map[string]Options{
	"git": optionsOf("-C: -c: --git-dir: --work-tree: --namespace: --config-env: --super-prefix: --attr-source: -p -P --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs " +
		"--icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --exec-path? --list-cmds? --html-path --version -v --help -h"),
	"docker":  optionsOf("-H: --host: -c: --context: --config: -l: --log-level: --tlscacert: --tlscert: --tlskey: -D --debug --tls --tlsverify"),
	"kubectl": optionsOf("-n: --namespace: -s: --server: --context: --cluster: --kubeconfig: --user: --token: --as: --cache-dir: --request-timeout: -v: --insecure-skip-tls-verify?"),
	"go":      optionsOf("-C:"),
	"cargo":   optionsOf("-C: -Z: --config: --color: -v -q --verbose --quiet --locked --offline --frozen"),
	"npm":     optionsOf("-C: --prefix: -w: --workspace: --userconfig: --globalconfig: --registry: --script-shell: --cache: --loglevel: -s --silent -g? --global? --workspaces?"),
}

// runsEach are programs that run each of their operands in turn.
var runsEach = WordSet("make gmake just task ninja rake gradle gradlew mvn mvnw ant invoke npm-run-all turbo nx")

// GlobalOptions returns the known global options of a program, or nil. program is a name without a path.
func GlobalOptions(program string) Options { return globalOptions[program] }

// RunsEach reports whether a program runs each of its operands in turn, like make. program is a name without a path.
func RunsEach(program string) bool { return runsEach[program] }
