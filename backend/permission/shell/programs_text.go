package shell

import (
	"regexp"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"
)

// textPrograms read text and write to standard output.
var textPrograms = map[string]*program{
	"cat":  only(filters("-n -b -A -e -t -u -v -s -E -T --number --number-nonblank --show-all --show-ends --show-tabs --show-nonprinting --squeeze-blank")),
	"head": only(&form{opts: optionsOf("-n: -c: -q -v --lines: --bytes: --quiet --silent --verbose"), digits: true, operands: paths, filter: true}),
	"tail": only(&form{opts: optionsOf("-n: -c: -q -v -f -F --lines: --bytes: --quiet --silent --verbose --follow?"), digits: true, operands: paths, filter: true}),
	"wc":   only(filters("-l -w -c -m -L --lines --words --bytes --chars --max-line-length")),
	"sort": only(filters("-n -r -u -f -b -d -g -h -i -M -R -V -c -C -s -z -m -k: -t: -S: --key: --field-separator: --numeric-sort --reverse --unique --ignore-case " +
		"--human-numeric-sort --version-sort --general-numeric-sort --month-sort --random-sort --stable --check --zero-terminated --ignore-leading-blanks --dictionary-order --merge")),
	"uniq":   only(&form{opts: optionsOf("-c -d -u -i -f: -s: -w: -z --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars: --zero-terminated"), operands: paths, most: 1, filter: true}),
	"cut":    only(filters("-d: -f: -c: -b: -s -n -z --delimiter: --fields: --characters: --bytes: --only-delimited --complement --output-delimiter: --zero-terminated")),
	"tr":     only(&form{opts: optionsOf("-d -s -c -C -t --delete --squeeze-repeats --complement --truncate-set1"), operands: data, filter: true}),
	"paste":  only(filters("-d: -s --delimiters: --serial")),
	"nl":     only(filters("-b: -n: -w: -s: -v: -i: -h: -f: -d: -l: -p")),
	"tee":    only(&form{opts: optionsOf("-a -i --append --ignore-interrupts"), operands: output, filter: true}),
	"tac":    only(filters("-b -r -s:")),
	"rev":    only(filters("")),
	"fold":   only(filters("-w: -s -b --width: --spaces --bytes")),
	"expand": only(filters("-t: -i --tabs: --initial")),
	"column": only(filters("-t -s: -c:")),
	"comm":   only(reads("-1 -2 -3 -i --check-order --nocheck-order --total --output-delimiter:")),
	"join":   only(reads("-1: -2: -t: -a: -v: -o: -e: -i -j:")),
	"diff": only(&form{
		opts: optionsOf("-u -c -U: -C: -N -q -s -w -b -B -i -a -y -W: -p -d -e -n -t -T -E -Z -L: --brief --unified? --context? --new-file --side-by-side --width: --label: --color? " +
			"--report-identical-files --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --text --minimal --strip-trailing-cr --normal -x: --exclude: --suppress-common-lines --show-c-function"),
		operands: contents,
	}),
	"cmp":     only(reads("-s -l -b -i: -n: --silent --quiet --verbose --print-bytes --bytes: --ignore-initial:")),
	"od":      only(filters("-A: -t: -N: -j: -w? -v -c -x -d -o -b -a -i --address-radix: --format: --read-bytes: --skip-bytes: --output-duplicates")),
	"hexdump": only(filters("-C -c -b -d -o -x -v -n: -s:")),
	"xxd":     only(&form{opts: optionsOf("-a -b -c: -e -E -g: -i -l: -o: -p -ps -s: -u"), operands: paths, most: 1, style: separate, filter: true}),
	"strings": only(filters("-a -n: -f -o -t: --all --bytes: --radix:")),
	"grep":    only(grep()),
	"egrep":   only(grep()),
	"fgrep":   only(grep()),
	"rg": only(&form{
		opts: optionsOf("-n -i -S -s -w -x -v -l -c -o -q -F -P -U -a -H -I -N -p -u -. -e: -g: -t: -T: -A: -B: -C: -m: -d: -r: -M: -j: -E: --hidden --no-ignore --no-ignore-vcs --unrestricted " +
			"--regexp: --glob: --iglob: --type: --type-not: --after-context: --before-context: --context: --max-count: --max-depth: --files --files-with-matches --files-without-match --count --count-matches " +
			"--line-number --no-line-number --column --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --invert-match --only-matching --quiet --fixed-strings --pcre2 --multiline --multiline-dotall " +
			"--text --heading --no-heading --color: --colors: --json --stats --sort: --sortr: --type-list --vimgrep --trim --no-messages --no-filename --with-filename --null --max-columns: --max-filesize: " +
			"--replace: --passthru --threads: --one-file-system --engine: --crlf --no-unicode --no-config --pretty --encoding: --glob-case-insensitive --no-follow --no-pre --no-search-zip"),
		operands: pattern, first: []string{"-e", "--regexp", "--files", "--type-list"}, deep: func(u *Use) bool { return !u.has("--files", "--type-list") },
	}),
	"jq": only(&form{opts: optionsOf("-r -c -n -s -S -e -M -C -a -j -R --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --monochrome-output --color-output --ascii-output --join-output --raw-input " +
		"--tab --indent: --arg:: --argjson::"), operands: pattern, noEnd: true, filter: true, check: plainQuery}),
	"sed":  only(&form{opts: optionsOf("-n -E -r -u -e: --quiet --silent --regexp-extended --expression: --unbuffered"), operands: pattern, first: []string{"-e", "--expression"}, filter: true, check: plainEdit}),
	"awk":  only(awk()),
	"gawk": only(awk()),
	"mawk": only(awk()),
	"echo": only(&form{read: printedWords, filter: true}),
	"printf": only(&form{filter: true, read: func(u *Use, words []word) bool {
		// zsh evaluates the arguments for %d, %n and *, and -v names a variable whose subscript bash evaluates.
		return len(words) > 0 && words[0].fixed && !strings.HasPrefix(words[0].text, "-") && plainPrintf.MatchString(words[0].text) && printedWords(u, words)
	}}),
}

// printedWords reads words that are only printed. The shell expands patterns among them.
func printedWords(u *Use, words []word) bool {
	for _, w := range words {
		if w.glob && !w.pattern {
			return false
		}
		if w.glob {
			u.files = append(u.files, w)
		}
	}
	return true
}

var plainPrintf = lazyregexp.New(`^(?:[^%]|%%|%-?[0-9]*[sb])*$`)

func grep() *form {
	return &form{
		opts: optionsOf("-n -i -y -v -w -x -c -l -L -q -s -o -h -H -E -F -P -G -a -I -r -e: -A: -B: -C: -m: -b -T -U -d: --color? --colour? --include: --exclude: --exclude-dir: --count --ignore-case " +
			"--no-ignore-case --invert-match --word-regexp --line-regexp --files-with-matches --files-without-match --quiet --silent --no-messages --only-matching --no-filename --with-filename --line-number --extended-regexp " +
			"--fixed-strings --perl-regexp --basic-regexp --text --recursive --regexp: --after-context: --before-context: --context: --max-count: --binary-files: --byte-offset --null --line-buffered --initial-tab --directories:"),
		digits: true, operands: pattern, first: []string{"-e", "--regexp"}, filter: true,
		deep: func(u *Use) bool {
			return u.has("-r", "--recursive") || slices.Contains(u.given["-d"], "recurse") || slices.Contains(u.given["--directories"], "recurse")
		},
	}
}

// plainEdit reports whether the script of a sed command only prints, deletes and replaces.
func plainEdit(u *Use) bool {
	scripts := slices.Concat(u.given["-e"], u.given["--expression"])
	if len(scripts) == 0 {
		scripts = []string{u.operands[0].text}
	}
	// Each script must be complete, so that it can't continue in the next one.
	return !slices.ContainsFunc(scripts, func(script string) bool { return !plainScript.MatchString(script) })
}

// plainScript matches a list of sed commands that neither write, read nor run anything.
var plainScript = func() *lazyregexp.Regexp {
	expr := func(d string) string { return `(?:[^\\\n\[` + d + `]|\\[^\n]|\[\^?\]?[^\]\\\n\[` + d + `]*\])*` }
	address := `(?:[0-9]+(?:~[0-9]+)?|\$|/` + expr("/") + `/I?)`
	commands := []string{`[pdqDPnNhHgGxl=]`}
	for _, d := range []string{"/", "|", "#", ",", "@", ":"} {
		q := regexp.QuoteMeta(d)
		commands = append(commands, `s`+q+expr(d)+q+`(?:[^\\\n`+d+`]|\\[^\n])*`+q+`[gpiI0-9]*`)
	}
	one := `\s*(?:` + address + `(?:,(?:\+?[0-9]+|` + address + `))?)?\s*!?\s*(?:` + strings.Join(commands, "|") + `)\s*`
	return lazyregexp.New(`^` + one + `(?:[;\n]` + one + `)*;?$`)
}()
