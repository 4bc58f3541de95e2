package shell

import (
	"path"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"
)

// Files that mark a package, by the tool that reads them.
var (
	nodePackage   = []string{"package.json"}
	goPackage     = []string{"go.mod", "go.work"}
	cargoPackage  = []string{"Cargo.toml"}
	makePackage   = []string{"GNUmakefile", "makefile", "Makefile"}
	pythonPackage = []string{"pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "setup.py"}
	tscPackage    = []string{"package.json", "tsconfig.json"}
	eslintPackage = append(configs("eslint"), "package.json", ".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.yaml", ".eslintrc.yml", ".eslintrc.json")
	vitestPackage = slices.Concat(configs("vitest"), configs("vite"), nodePackage)
	jestPackage   = append(configs("jest"), "package.json", "jest.config.json")
)

// configs returns the possible names of a JavaScript program's configuration file.
func configs(program string) (names []string) {
	for _, end := range []string{"js", "mjs", "cjs", "ts", "mts", "cts"} {
		names = append(names, program+".config."+end)
	}
	return names
}

// goBuild are the options of the go command when it builds.
const goBuild = "-v -race -n -a -x -tags: -p: -trimpath -json -short -asan -msan"

// buildPrograms build and test. They run the code of the package, and nothing else that a word names. No form has an
// option that selects a package outside of the working directory.
var buildPrograms = map[string]*program{
	"go": {packages: goPackage, forms: map[string]*form{
		"build": goTool(goBuild),
		"vet":   goTool("-v -n -tags: -p: -json -c: -race"),
		"test":  goTool(goBuild + " -run: -skip: -list: -count: -timeout: -bench: -benchtime: -benchmem -cover -covermode: -coverpkg: -failfast -parallel: -cpu: -shuffle: -fullpath"),
	}},
	"cargo": {packages: cargoPackage, forms: map[string]*form{
		"build": cargo("", ""), "check": cargo("", ""), "doc": cargo("--no-deps", ""), "clippy": cargo("--no-deps", ""),
		"test":  cargo("--no-run --no-fail-fast --doc", "--nocapture --test-threads: --ignored --include-ignored --exact --show-output --skip: --list --quiet"),
		"bench": cargo("--no-run --no-fail-fast", ""),
		"fmt":   {acts: true, opts: optionsOf("--check -v -q")},
	}},
	"make": inPackage(makePackage, &form{
		acts: true, opts: optionsOf("-j~ --jobs? -k -s -n -B -w -i --keep-going --silent --quiet --dry-run --just-print --always-make --no-print-directory --print-directory --ignore-errors -O? --output-sync?"),
		operands: data, named: -1, noEnd: true, check: func(u *Use) bool {
			for _, o := range u.operands {
				if strings.ContainsAny(o.text, "=:") { // it sets a variable
					return false
				}
			}
			return true
		},
	}),
	"npm": {packages: nodePackage, forms: map[string]*form{
		"test": npm(npmScript, 0), "t": npm(npmScript, 0), "start": npm(npmScript, 0), "run": npm(npmScript, 1), "run-script": npm(npmScript, 1),
		"ci": npm(npmScript+" --omit: --include:", 0),
	}},
	"pnpm":   {packages: nodePackage, forms: map[string]*form{"test": npm("", 0), "run": npm("", 1)}},
	"yarn":   {packages: nodePackage, forms: map[string]*form{"test": npm("", 0), "run": npm("", 1)}},
	"bun":    {packages: nodePackage, forms: map[string]*form{"run": npm("", 1)}},
	"pytest": inPackage(pythonPackage, pytest()),
	"tsc": inPackage(tscPackage, &form{acts: true, opts: optionsOf("--noEmit --pretty --strict --skipLibCheck --listFiles --showConfig --version -v"), operands: noOperands, noEnd: true, check: func(u *Use) bool {
		return u.has("--noEmit", "--showConfig", "--version", "-v")
	}}),
	"eslint": inPackage(eslintPackage, &form{
		acts: true, style: separate, opts: optionsOf("--ext: --quiet --max-warnings: --no-error-on-unmatched-pattern --color --no-color -f: --format: -v --version"), operands: paths, noEnd: true,
		check: all(oneOf("-f", "stylish", "json", "compact", "unix", "html"), oneOf("--format", "stylish", "json", "compact", "unix", "html")),
	}),
	"vitest": {packages: vitestPackage, forms: map[string]*form{"": vitest(), "run": vitest()}},
	"jest": inPackage(jestPackage, &form{
		acts: true, style: separate, opts: optionsOf("-t: -i -o -w: --testNamePattern: --silent --verbose --ci --bail --runInBand --onlyChanged --passWithNoTests --listTests --color --no-color --maxWorkers: --version"),
		operands: paths, noEnd: true,
	}),
}

// npmScript are the options that neither change which script of package.json runs, nor in which package.
const npmScript = "-s --silent --if-present --no-audit --no-fund --ignore-scripts --prefer-offline --offline --loglevel: --color --no-color --verbose --json"

func npm(opts string, named int) *form {
	return &form{acts: true, opts: optionsOf(opts), operands: data, most: max(named, 0), named: named, noEnd: true, check: func(u *Use) bool { return len(u.operands) == named }}
}

// goTool returns a subcommand of go that builds packages of the folder.
func goTool(opts string) *form {
	return &form{acts: true, opts: optionsOf(opts), style: wholeWord, noEnd: true, operands: paths, check: noDownload}
}

// noDownload reports whether no operand names a package with a version, which go would download.
func noDownload(u *Use) bool {
	for _, o := range u.operands {
		if !o.fixed || strings.Contains(o.text, "@") || path.Ext(o.text) == ".s" {
			return false
		}
	}
	return true
}

func cargo(opts, after string) *form {
	f := &form{acts: true, operands: data, opts: optionsOf(opts, "-v -q -r -F: -j: --release --lib --bins --bin: --tests --test: --all-targets --all-features --no-default-features "+
		"--features: --jobs: --offline --locked --frozen --verbose --quiet --message-format: --color: --keep-going --examples --example: --benches --bench:"), noEnd: after == ""}
	if after != "" {
		f.after = optionsOf(after)
	}
	return f
}

// plainExpression matches text that has no effect in older versions of pytest, which evaluate it as Python.
var plainExpression = lazyregexp.New(`^[A-Za-z0-9_ ()-]*$`)

func pytest() *form {
	return &form{acts: true, noEnd: true, operands: paths, check: values(plainExpression.MatchString, "-k", "-m"), opts: optionsOf("-q -v -x -s -l -k: -m: -r: -n: --maxfail: --tb: --lf --ff --nf --sw --last-failed --failed-first --new-first --stepwise --durations: --no-header --co --collect-only " +
		"--color: --no-cov --showlocals --exitfirst --verbose --quiet --capture: --strict-markers --disable-warnings --version")}
}

func vitest() *form {
	return &form{
		acts: true, style: separate, noEnd: true, operands: paths, opts: optionsOf("-t: --testNamePattern: --reporter: --bail: --silent --passWithNoTests --run --no-color --color --version"),
		check: all(oneOf("--reporter", "default", "verbose", "dot", "json", "tap", "basic", "tree"), func(u *Use) bool {
			for _, o := range u.operands {
				if !strings.ContainsAny(o.text, "./") { // init writes files
					return false
				}
			}
			return true
		}),
	}
}
