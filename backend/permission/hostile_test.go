package permission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// coverage is a rule, the lines that it allows and those that it must ask about, separated by ¦.
type coverage struct{ rule, allowed, asked string }

func (c coverage) check(t *testing.T, dir string) {
	t.Helper()
	set := NewSet([]Rule{rule(Allow, "cmd:"+c.rule)})
	for want, lines := range map[Verdict]string{Allowed: c.allowed, Ask: c.asked} {
		for line := range strings.SplitSeq(lines, "¦") {
			if line == "" {
				continue
			}
			if got, sub := decide(t, dir, set, line); got != want {
				t.Errorf("rule %q: %s is answered %s, want %s (unclear %q)", c.rule, line, got, want, sub.Unclear)
			}
		}
	}
}

// A rule covers a command only if all programs of that name (GNU, BSD and BusyBox) parse its options, values and
// operands in the same way: options only before the operands or anywhere, grouped or separate, from the line or from a
// file.
func TestOptionSyntaxesOfEveryStyle(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, folder := range []string{"+1", "+src"} { // zsh takes the first for a place in its list of folders
		writeFile(t, filepath.Join(dir, folder, "x"), "x", 0o600)
	}
	for _, c := range []coverage{
		// A first word without a dash is a group of options whose values follow in order.
		{"tar", "tar tf src/a.go¦tar tvf src/a.go¦tar tzf src/a.go¦tar -tvzf src/a.go¦tar t -f src/a.go¦tar -tf src/a.go src/x", "tar tfI src/a.go 'sh -c pwn'¦tar tfv src/a.go¦tar fIt src/a.go pwn¦tar -tfI src/a.go pwn¦tar tF src/a.go pwn¦tar tft src/a.go¦tar tff src/a.go src/a.go¦tar -tf src/a.go -f src/a.go¦tar xf src/a.go¦tar tf src/a*"},
		// The command is the first operand, and its own options follow.
		{"command", "command -v git¦command -V git", "command rm x -v¦command pwn -v¦command sh -v src/a.go¦command -- pwn -v¦command -v -- git¦command pwn"},
		// If options end at the first operand, an option after it is an operand.
		{"uniq", "uniq src/a.go¦uniq -c src/a.go¦uniq -f 1 src/a.go", "uniq src/a.go -c¦uniq src/a.go --¦uniq src/a.go -"},
		{"sed", "sed -n p src/a.go¦sed -n -e p src/a.go¦sed -e s/a/b/ -e s/c/d/ src/a.go", "sed 'w x' -e p src/a.go¦sed p -e p src/a.go¦sed -e 'w x' -e p src/a.go"},
		{"grep", "grep -n x src/a.go¦grep x -n src/a.go¦grep x src -r", "grep src/a.go -e x¦grep x src --regexp=x"},
		{"tee", "", "tee src/a -a¦tee src/a --"},
		{"unzip", "unzip -l src/a.go¦unzip -lv src/a.go¦unzip -Z1 src/a.go", "unzip src/a.go -l¦unzip src/a.go -- -l¦unzip -v src/a.go¦unzip -l src/a*"},
		{"zipinfo", "zipinfo -1 src/a.go", "zipinfo src/a.go -1"},
		// The value of an option in a group is the next word; the following letters are options.
		{"tree", "tree -a src¦tree -L 2 src¦tree -ad src", "tree -Lo 2 src/x¦tree -Io x src/x¦tree -aPo x y¦tree -L2 src¦tree -aL 2 src"},
		{"xxd", "xxd src/a.go¦xxd -c 5 src/a.go¦xxd -s 5 src/a.go", "xxd -pc 5 src/a.go¦xxd -ac 5 src/a.go¦xxd -pl 5 src/a.go¦xxd src/a.go src/b¦xxd src/a*¦xxd -a src/a.go -p¦xxd -r src/a.go"},
		{"jest", "jest -i¦jest -t x¦jest src", "jest -tc ./evil.js¦jest -ic ./evil.js¦jest -it x"},
		{"vitest", "vitest -t x", "vitest -tc evil.js¦vitest -tx¦vitest --reporter=./evil.js --reporter=dot¦vitest --reporter ./evil.js --reporter dot"},
		{"eslint", "eslint -f json src", "eslint -fjson src¦eslint -f ./evil.js -f json src¦eslint --format=./evil.js --format=json src"},
		{"kubectl", "kubectl get pods -o yaml", "kubectl get pods -o go-template-file=x -o yaml"},
		// A word with @ may name a file with more arguments, even as the value of an option.
		{"strings", "strings -n 4 src/a.go", "strings -n @src/a.go src/a.go¦strings @src/a.go"},
		{"pytest", "pytest -k 'a and not (b or c)'", "pytest -k @src/a.go¦pytest -k '().__class__'¦pytest -m 'a.b'¦pytest @src/a.go"},
		// "+" options.
		{"cd", "", "cd +1¦cd -1¦cd +src"},
		{"date", "date +%s", "date +%s 010112002026¦date +%s -u"},
		// ps takes its options without dashes.
		{"docker", "docker top x", "docker top x e¦docker top x aux¦docker compose ps¦docker compose logs"},
		{"podman", "podman ps", "podman compose ps"},
		{"git branch", "git branch --list 'x*'", "git branch -l new"}, // that makes a branch before git 2.20
		{"git log", "git log --format='%h %an%n%C(red)%x41 %<(20)%s'¦git log --pretty=oneline¦git log -L 1,5:src/a.go", "git log --format=%GG¦git log --format=%-GG¦git log --format='%+GS'¦git log --format='% G?'¦git log --format='%(trailers)'¦git log --format='%(describe)'¦git log --pretty='format:%-GK'"},
		{"git for-each-ref", "git for-each-ref --format='%(refname:short) %(objectname)'¦git for-each-ref --sort=-committerdate", "git for-each-ref --format='%(signature)'¦git for-each-ref --format='%(*signature:key)'¦git for-each-ref --sort=signature¦git for-each-ref --sort=-signature:grade"},
		{"git branch", "git branch --format='%(refname)'", "git branch --format='%(signature)'¦git branch --sort=signature"},
		{"git tag", "git tag -l --format='%(refname)'", "git tag -l --format='%(signature)'¦git tag -l --sort signature"},
		// A shell with different syntax.
		{"echo", "echo a", `fish -c "echo 'a\\\\' 'b; pwn #'"¦fish -c 'echo a'`},
	} {
		c.check(t, dir)
	}
}

// Git resolves the path of a version, and some patterns, from the top of the repository, which may be above the
// folder.
func TestPathsFromTheTopOfARepository(t *testing.T) {
	top := t.TempDir()
	t.Setenv("HOME", top)
	newRepository(t, top, false)
	writeFile(t, filepath.Join(top, "sub", "a.bin"), "x", 0o600)
	coverage{
		"git", "git show HEAD¦git show HEAD:./a.bin¦git diff -- . ':(exclude)a.bin'¦git diff -- ':!a.bin'¦git log main..HEAD",
		"git show HEAD:a.bin¦git show HEAD:sub/a.bin¦git cat-file -p HEAD:a.bin¦git diff HEAD:a.bin HEAD:./a.bin¦git diff -- ':(top)a.bin'¦git grep x -- ':(top)'¦git diff -- ':(exclude,top)x'¦git diff -- ':/'¦git ls-files ':/a.bin'",
	}.check(t, filepath.Join(top, "sub"))
	coverage{"git", "git show HEAD:a.bin¦git show HEAD:sub/a.bin", "git diff -- ':(top)a.bin'"}.check(t, top)
}

// A first word without a dash may contain the options of a reject rule, and those that take code.
func TestOldOptionsAreOptionsToRejectRules(t *testing.T) {
	t.Parallel()
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "kind:execute"), rule(Reject, "cmd:tar -x"), rule(Reject, "cmd:ar -d"), rule(Reject, "cmd:rm")})
	for line, want := range map[string]Verdict{
		"tar xf a.tar": Rejected, "tar fx a.tar": Rejected, "tar -xf a.tar": Rejected, "/bin/tar xf a.tar": Rejected, "ar d a.a b": Rejected, "tar tf a.tar x": Allowed, "tar tf x": Allowed, "tar cf x.tar x": Allowed, "ar t d.a": Allowed,
		"tar tfI a.tar 'rm x'": Ask, "tar cFf 'rm x' a.tar b": Ask, "tar -tfI a.tar": Ask,
	} {
		if got, sub := decide(t, dir, set, line); got != want {
			t.Errorf("%s is answered %s, want %s (unclear %q)", line, got, want, sub.Unclear)
		}
	}
}

// A program in awk or jq counts as reading only if it can't name a file, a command or a computed variable.
func TestAwkAndJqProgramsAreChecked(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, c := range []coverage{
		{
			"awk",
			"awk '{print}' src/a.go¦awk '{print $1, $NF}' src/a.go¦awk -F: '{ print $1\":\"$2 }' src/a.go¦awk 'NR==5' src/a.go¦awk 'NR>=2 && NR<=4' src/a.go¦awk '/x/,/y/' src/a.go¦awk '$1 ~ /^x/ {print $2}' src/a.go¦awk 'END {print NR}' src/a.go¦awk '{printf \"%s\\n\", $(NF-1)}' src/a.go¦awk '!/x/' src/a.go¦awk 'NR==1; $2 > 5 {print $1}' src/a.go¦awk 'length > 80' src/*.go",
			"awk 'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"/etc/passwd\"} {print}' src/a.go¦awk '{print > \"x\"}'¦awk '{print >> \"x\"}'¦awk '{print $1 > 5}'¦awk '{print | \"sh\"}'¦awk '{\"id\" | getline}'¦awk '{getline x < \"/etc/passwd\"}'¦awk 'BEGIN{f=\"sys\" \"tem\"; @f(\"id\")}'¦awk '@load \"x\"'¦awk '@include \"x\"'¦awk 'system(\"x\")'¦awk '{print ENVIRON[\"X\"]}'¦awk '{FS=\"x\"}'¦awk '{x[\"a\"]=1}'¦awk '{print a\\\n}'¦awk '{print}' a=b¦awk '{print}' a*¦awk -v x=1 '{print x}'¦awk -f x¦awk -i inplace '{print}'¦awk '{print (1>2)}'¦awk '{print \"a\" > \"b\"}'¦awk '/x/ /y/'¦awk '{close(\"x\")}'¦awk '{printf \"x\" | \"sh\"}'¦awk '{print $1}' x.txt /inet/tcp/0/x/80",
		},
		{"gawk", "gawk '{print $1}'", "gawk '{print PROCINFO[\"x\"]}'¦gawk 'BEGIN{SYMTAB[\"x\"]=1}'"},
		{
			"jq",
			"jq . src/a.go¦jq -r '.a.b[0] | keys[]' src/a.go¦jq '.[] | select(.x == \"y\" and (.z|length) > 2) | {a, \"b\": .c, env: .env}' src/a.go¦jq --arg x y '.[$x]' src/a.go¦jq '.a // \"none\"' src/a.go¦jq 'map(.x) | add' src/a.go¦jq '.env.ENV.import' src/*.go¦jq 'if .a then .b else .c end' src/a.go¦jq -r '.[] | @tsv' src/a.go",
			"jq env¦jq '$ENV'¦jq '. as $x | $ENV'¦jq '{a: env}'¦jq '{(env.X): 1}'¦jq '{$ENV}'¦jq '\"\\(env)\"'¦jq 'import \"x\" as $y; .'¦jq 'include \"x\"; .'¦jq 'def f: env; f'¦jq input_filename¦jq '$__prog_args'¦jq get_search_list¦jq '..env'¦jq '. | halt_error'¦jq '.a # x'¦jq modulemeta",
		},
	} {
		c.check(t, dir)
	}
}

// A word that the shell may expand to several words, or to none, is never counted as one where the number of operands
// or the position matters.
func TestPatternMayExpandToAnyNumberOfWords(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, name := range []string{"a1.txt", "a2.txt"} {
		writeFile(t, filepath.Join(dir, name), name, 0o600)
	}
	patterns := []string{"a*.txt", "a?.txt", "./a*", "*", "?1.txt", "a[12].txt", "{a1,a2}.txt", "$x", "${x}", `"$x"`, "$(ls)", "*.txt", "src/*", "a$x", `a"$x"`, "a$(ls)"}
	for _, rest := range []string{
		"uniq", "uniq -c", "uniq --", "xxd", "xxd -p", "tee", "tee -a", "cd", "unzip -l", "zipinfo", "tar tf", "tar -tf", "tar -tf x", "date", "date +%s", "git branch", "git branch --list", "git tag", "git tag -l",
		"git config", "git config --get", "git remote get-url", "git push origin", "git fetch", "git fetch origin", "make", "npm run", "npm run build", "curl", "docker top", "docker top x", "kubectl get", "test", "test -f", "tr a", "basename", "command -v",
		"grep", "grep -e", "sed", "sed -e", "awk", "jq", "jq --arg a b", "rg", "sort -k", "head -n", "uniq -f", "stat -c", "go test", "go test -run", "go build", "go build -tags", "pytest -k", "git log -n", "git commit -m", "diff -U", "find . -name", "find . -newer",
	} {
		words := strings.Fields(rest)
		for _, named := range []string{words[0], strings.Join(words[:min(2, len(words))], " "), strings.Join(words[:min(3, len(words))], " ")} {
			set := NewSet([]Rule{rule(Allow, "cmd:"+named), rule(Allow, "path:**")})
			for _, pattern := range patterns {
				line := rest + " " + pattern
				if got, sub := decide(t, dir, set, line); got != Ask {
					t.Errorf("rule %q: %s is answered %s (unclear %q)", named, line, got, sub.Unclear)
				}
			}
		}
	}
	for _, rest := range []string{"cat", "cat --", "head -n 5", "head --", "grep x", "grep -e x --", "git log", "git log --", "git diff HEAD --", "git add", "git add --", "ls", "ls --", "find", "sed -n p", "awk '{print}'", "wc -l --", "tail -f"} {
		set := NewSet([]Rule{rule(Allow, "cmd:"+strings.Fields(rest)[0]), rule(Allow, "cmd:git add")})
		for _, word := range []string{"$x", `"$x"`, "a$x", `a"$x"`, `"a$x"`, "a$(ls)", "$(ls)", "*", "?1.txt", "-*", "a[12].txt", "{a1,a2}.txt"} {
			if got, sub := decide(t, dir, set, rest+" "+word); got != Ask {
				t.Errorf("%s %s is answered %s (unclear %q)", rest, word, got, sub.Unclear)
			}
		}
	}
	for _, c := range []coverage{
		{"cat", "cat a*.txt¦cat -- a*.txt¦cat src/*.go", ""}, {"wc", "wc -l a?.txt", ""}, {"grep", "grep x a*.txt¦grep -e x a*.txt", ""}, {"sed", "sed -n p a*.txt", ""}, {"git add", "git add docs/*", ""}, {"git diff", "git diff a*.txt", ""}, {"ls", "ls docs/*", ""},
	} {
		c.check(t, dir)
	}
}

// The user is asked about a word that names something outside of the folder if the program reads files, even as the
// value of an option, which another version of the program may treat as a file.
func TestWordsOutsideAreAskedAbout(t *testing.T) {
	t.Parallel()
	dir := project(t)
	outside := filepath.Join(filepath.Dir(dir), "outside.txt")
	writeFile(t, outside, "x", 0o600)
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("links cannot be made here")
	}
	for _, line := range []string{
		"git diff -U % src/a.go", "git diff --unified % src/a.go", "git diff -l % src/a.go", "git diff --diff-filter % src/a.go", "git diff -S % src/a.go", "git log -n % src/a.go", "git log --since % src", "git blame --date % src/a.go", "git grep -e x -A % src",
		"grep -A % x", "grep -A % x src/a.go", "grep x src/a.go -m %", "grep -e x -e % src/a.go", "grep --include % x src", "head -n %", "head -c % src/a.go", "tail -n % src/a.go", "sort -k % src/a.go", "sort -t % src/a.go", "cut -d % src/a.go", "cut -f % src/a.go",
		"uniq -f % src/a.go", "diff -U % src/a.go", "diff -L % src/a.go src/deep/b.go", "cmp -n % src/a.go", "od -w % src/a.go", "od -A % src/a.go", "xxd -l % src/a.go", "strings -n % src/a.go", "nl -b % src/a.go", "fold -w % src/a.go", "stat -c % src/a.go", "stat -t % src/a.go",
		"du -d % src", "tree -L % src", "tree -I % src", "ls --hide % src", "rg -A % x src", "rg -g % x src", "jq --arg a % . src/a.go", "join -a % src/a.go src/a.go", "comm --output-delimiter % src/a.go src/a.go", "column -s % src/a.go", "paste -d % src/a.go",
		"grep -r x %", "cat %", "cat -- %", "git log -- %", "git show HEAD:%", "git diff HEAD %", "git status %", "git ls-files %", "go test %", "pytest %", "eslint %", "sed -n p %", "tar -tf %", "find % -name x", "find . -newer %", "test -f %", "wc -l src/a.go %",
	} {
		for _, named := range []string{outside, "../outside.txt", "link", "./link", "src/../link", "src/leaves"} {
			line := strings.ReplaceAll(line, "%", named)
			words := strings.Fields(line)
			set := NewSet([]Rule{rule(Allow, "cmd:"+words[0]), rule(Allow, "cmd:"+words[0]+" "+words[1]), rule(Allow, "kind:execute")})
			if got, sub := decide(t, dir, set, line); got != Ask || sub.Unclear != "outside" {
				t.Errorf("%s is answered %s (unclear %q)", line, got, sub.Unclear)
			}
		}
	}
	for _, c := range []coverage{
		{"grep", "grep -rn /api/users src¦grep -rn '/' src¦grep -e / src/a.go¦grep -e /no/such/file src/a.go¦grep -A 5 x src/a.go", ""},
		{"rg", "rg -e / src¦rg / src", "rg -g / x src"},
		{"git log", "git log --grep=../x¦git log --author='a / b'¦git log main..feature/x -- src", ""},
		{"git diff", "git diff -U5 src/a.go", "git diff -U/etc/passwd src/a.go"},
		{"sed", "sed -n '/x/p' src/a.go", ""},
		{"basename", "basename /etc/passwd¦basename /", ""},
		{"tr", "tr / _", ""},
		{"echo", "echo /etc/passwd¦echo docs/*¦echo $x", "echo /etc/*¦echo src/leaves/*¦echo $x/*¦echo \"$x\"/*¦echo *"},
		{"printf", "printf '%s' $x docs/*", "printf '%s' /etc/*"},
		{"cut", "cut -d / -f 1 src/a.go", ""},
		{"diff", "diff src/a.go src/deep/b.go", "diff src docs¦diff -r src docs¦diff --recursive src docs¦diff src/a.go src/deep¦diff src/a* src/d*"}, // links in folders are followed
	} {
		c.check(t, dir)
	}
	// A rule that rejects reading a file applies to these words too, because they may be files.
	closed := NewSet([]Rule{rule(Allow, "kind:execute"), rule(Allow, "cmd:git diff"), rule(Allow, "cmd:grep"), rule(Allow, "cmd:git log"), rule(Reject, "path:**/.env")})
	for line, want := range map[string]Verdict{
		"git diff -U .env src/a.go": Ask, "grep -A .env x src/a.go": Ask, "git log --grep .env": Ask, "git log -L 1,5:.env": Rejected, "git log -L1,5:.env": Rejected, "git log -L:f:.env": Rejected,
		"grep .env src/a.go": Allowed, "git diff -U5 src/a.go": Allowed,
	} {
		if got, sub := decide(t, dir, closed, line); got != want {
			t.Errorf("with a reject rule, %s is answered %s, want %s (unclear %q)", line, got, want, sub.Unclear)
		}
	}
}

// A line is judged by the state of the disk before it runs, so a command isn't covered if another command of the line
// may have changed its files, folder or package. Alone, each is covered.
func TestCommandsAfterChangesAreAsked(t *testing.T) {
	t.Parallel()
	dir := project(t)
	writeFile(t, filepath.Join(dir, "package.json"), "{}", 0o600)
	var rules []Rule
	for _, command := range []string{"cat", "ls", "grep", "cd", "echo", "tee", "git pull", "npm test", "go test", "ln -s /etc l", "tar xf x.tar", "./x", "git checkout y", "sort", "head"} {
		rules = append(rules, rule(Allow, "cmd:"+command))
	}
	set := NewSet(append(rules, rule(Allow, "kind:edit", "path:src/**")))
	all := NewSet([]Rule{rule(Allow, "kind:execute"), rule(Allow, "kind:edit", "path:src/**"), rule(Reject, "cmd:rm")})
	for line, want := range map[string]Verdict{
		"ln -s /etc l && cat l/passwd": Ask, "ln -s /etc l; ls l": Ask, "tar xf x.tar && grep -r x src": Ask, "git checkout y && cat new": Ask, "git pull && cat new": Ask, "git pull; cd src; ls": Ask, "git pull && cd src && npm test": Ask, "./x & cat src/a.go": Ask, "cat src/a.go & ./x": Ask,
		"git pull && echo x > src/y": Ask, "ln -s /etc l && cat < l/passwd | tee src/y": Ask, "./x | tee src/y": Ask, "echo {} > src/package.json && cd src && npm test": Ask, "./x; cat docs/*": Ask, "if ./x; then cat src/a.go; fi": Ask,
		"git pull && npm test": Allowed, "git pull && go test ./...": Allowed, "git pull && cd src && go test ./...": Ask, "./x && echo done": Allowed, "./x && ls": Allowed, "./x && git checkout y": Ask, "npm test && cat src/a.go": Allowed, "cat src/a.go && ./x": Allowed, "./x > src/y 2>&1": Allowed, "cd src && npm test": Allowed, "cat src/a.go > src/y && git pull": Allowed,
		"echo x > src/y && cat src/y": Allowed, "git pull | head -5": Allowed,
	} {
		if got, sub := decide(t, dir, set, line); got != want {
			t.Errorf("%s is answered %s, want %s (unclear %q)", line, got, want, sub.Unclear)
		}
		if got, sub := decide(t, dir, all, line); got != Allowed && !strings.Contains(line, "git") {
			t.Errorf("a rule for all commands answers %s to %s (unclear %q)", got, line, sub.Unclear)
		}
	}
}

// No rule about a program covers a form that runs what a file in the folder names, even if the form only prints
// something: a version manager, a compiler wrapper, a plugin. A rule with the exact words still covers it.
func TestReadersAreSafeInAHostileFolder(t *testing.T) {
	t.Parallel()
	dir := project(t)
	for _, line := range []string{
		"cargo tree", "cargo version", "cargo --version", "rustc --version", "rustc -V", "yarn --version", "npm --version", "npm -v", "npm ls", "npm outdated", "pnpm --version", "bun --version", "node --version", "node -v", "node --check x.js", "node -c x.js", "deno --version",
		"python --version", "python3 --version", "python3 -V", "ruby --version", "ruby -v", "perl --version", "perl -v", "php --version", "java --version", "java -version", "go list", "go list ./...", "go list -json", "go version", "go env", "go env GOPATH", "go doc fmt",
		"go mod graph", "go mod verify", "go mod why x", "gofmt -l .", "shasum src/a.go", "docker compose ps", "docker compose logs", "podman compose ps",
	} {
		words := strings.Fields(line)
		for _, named := range []string{words[0], words[0] + " " + words[1]} {
			if named == line {
				continue
			}
			set := NewSet([]Rule{rule(Allow, "cmd:"+named)})
			if got, sub := decide(t, dir, set, line); got != Ask {
				t.Errorf("rule %q: %s is answered %s (unclear %q)", named, line, got, sub.Unclear)
			}
		}
		if got, sub := decide(t, dir, NewSet([]Rule{rule(Allow, "cmd:"+line)}), line); got != Allowed {
			t.Errorf("%s is answered %s by its own words (unclear %q)", line, got, sub.Unclear)
		}
		if got, _ := decide(t, dir, NewSet([]Rule{rule(Allow, "cmd:"+line)}), line+" x"); got != Ask {
			t.Errorf("%s covers more words", line)
		}
	}
}
