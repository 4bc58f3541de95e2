package shell

// valued are the global options of programs that have a value in the next word, and those that have none. Of any other option, the next word may be
// its value or not.
var valued = map[string]Options{
	"git": optionsOf("-C: -c: --git-dir: --work-tree: --namespace: --config-env: --super-prefix: --attr-source: -p -P --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs " +
		"--icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --exec-path? --list-cmds? --html-path --version -v --help -h"),
	"docker":  optionsOf("-H: --host: -c: --context: --config: -l: --log-level: --tlscacert: --tlscert: --tlskey: -D --debug --tls --tlsverify"),
	"kubectl": optionsOf("-n: --namespace: -s: --server: --context: --cluster: --kubeconfig: --user: --token: --as: --cache-dir: --request-timeout: -v: --insecure-skip-tls-verify?"),
	"go":      optionsOf("-C:"),
	"cargo":   optionsOf("-C: -Z: --config: --color: -v -q --verbose --quiet --locked --offline --frozen"),
	"npm":     optionsOf("-C: --prefix: -w: --workspace: --userconfig: --globalconfig: --registry: --script-shell: --cache: --loglevel: -s --silent -g? --global? --workspaces?"),
}

// many are programs that do each of their operands, one after the other.
var many = WordSet("make gmake just task ninja rake gradle gradlew mvn mvnw ant invoke npm-run-all turbo nx")

// GlobalOptions returns the global options that are known of a program, by its name without a path; nil if there are none.
func GlobalOptions(program string) Options { return valued[program] }

// RunsEach reports whether a program does each of its operands, one after the other, as make does; program is its name without a path.
func RunsEach(program string) bool { return many[program] }
