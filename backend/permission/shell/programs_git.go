package shell

import (
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"
)

// Options of the git commands that show differences and histories.
const (
	diffOptions = "-p -u -s -z -R -D -a -b -w -W -U: -M? -C? -B? -l: -S: -G: --patch --no-patch --unified: --raw --patch-with-raw --minimal --patience --histogram --diff-algorithm: --stat? --compact-summary --numstat --shortstat " +
		"--dirstat? --summary --patch-with-stat --name-only --name-status --color? --no-color --color-moved? --word-diff? --color-words? --no-renames --check --full-index --binary --abbrev? --find-renames? --find-copies? --irreversible-delete " +
		"--diff-filter: --pickaxe-all --pickaxe-regex --relative? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --function-context --no-ext-diff --no-textconv " +
		"--src-prefix: --dst-prefix: --no-prefix --inter-hunk-context: --exit-code --quiet"
	logOptions = "-n: -i -E -F -P -L: -c -m -g -t --max-count: --skip: --since: --after: --until: --before: --author: --committer: --grep: --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings " +
		"--perl-regexp --merges --no-merges --first-parent --all --branches? --tags? --remotes? --reverse --oneline --graph --decorate? --no-decorate --date: --topo-order --date-order --author-date-order --follow --full-history --simplify-merges " +
		"--simplify-by-decoration --ancestry-path --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --boundary --abbrev-commit --no-abbrev-commit --pretty? --format: --encoding: --notes? --no-notes --parents --children --source --log-size " +
		"--cc --reflog --walk-reflogs --merge --show-pulls --no-walk? --use-mailmap --mailmap"
)

// gitPrograms are the forms of git that only read, and a few that act but run nothing that an argument names.
var gitPrograms = map[string]*program{
	"git": {
		packages: []string{".git"},
		global:   optionsOf("--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --glob-pathspecs --noglob-pathspecs --icase-pathspecs"),
		forms: map[string]*form{
			"":              {opts: optionsOf("--version -v"), check: func(u *Use) bool { return u.has("--version", "-v") }},
			"version":       git("", noOperands),
			"status":        git("-s -b -v -u? -z -uno -uall -unormal --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? --ahead-behind --no-ahead-behind --renames --no-renames --column? --no-column", revisions),
			"log":           history(logOptions + " " + diffOptions),
			"whatchanged":   history(logOptions + " " + diffOptions),
			"show":          history(logOptions + " " + diffOptions),
			"diff":          git(diffOptions+" --cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3", revisions),
			"shortlog":      history("-n -s -e -c --numbered --summary --email --no-merges --merges --all --since: --until: --after: --before: --author: --group: --format:"),
			"reflog":        {opts: optionsOf(logOptions), digits: true, check: plainFormats}, // an operand may be expire or delete
			"reflog show":   history(logOptions),
			"stash list":    history(logOptions),
			"stash show":    history(diffOptions),
			"blame":         git("-L: -l -t -e -w -s -f -n -p -b -c -M? -C? --since: --date: --abbrev? --root --show-stats --show-email --show-name --show-number --porcelain --line-porcelain --incremental --color-lines --color-by-age", revisions),
			"rev-parse":     git("-q --show-toplevel --abbrev-ref? --short? --verify --quiet --git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --show-prefix --show-cdup --symbolic --symbolic-full-name --all --git-common-dir --absolute-git-dir --branches? --tags? --remotes? --is-shallow-repository --show-current", revisions),
			"rev-list":      history(logOptions + " --count --objects --disk-usage"),
			"describe":      git("--all --tags --contains --abbrev? --long --always --dirty? --broken? --exact-match --match: --exclude: --first-parent --candidates:", revisions),
			"ls-files":      git("-c -d -m -o -i -s -u -z -t -v -k -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --exclude: --directory --no-empty-directory --full-name --error-unmatch --abbrev? --eol --deduplicate --format:", revisions),
			"ls-tree":       git("-r -d -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:", revisions),
			"cat-file":      git("-t -s -e -p", revisions),
			"name-rev":      git("--tags --refs: --exclude: --all --name-only --always", revisions),
			"merge-base":    git("-a --all --octopus --independent --is-ancestor --fork-point", revisions),
			"for-each-ref":  git("--count: --sort: --format: --points-at: --merged? --no-merged? --contains? --no-contains? --ignore-case --color?", revisions),
			"show-ref":      git("-q -d -s --head --heads --branches --tags --dereference --hash? --verify --abbrev? --quiet", revisions),
			"count-objects": git("-v -H --verbose --human-readable", noOperands),
			"check-ignore":  git("-q -v -n --quiet --verbose --non-matching --no-index", revisions),
			"diff-tree":     git(diffOptions+" -r -t -m -c --cc --root --no-commit-id --merge-base", revisions),
			"diff-index":    git(diffOptions+" -m --cached --merge-base", revisions),
			"diff-files":    git(diffOptions+" -q", revisions),
			"grep": {
				opts: optionsOf("-n -i -l -L -c -w -v -h -H -E -G -P -F -q -W -p -I -a -o -z -e: -A: -B: -C: -m: --line-number --ignore-case --files-with-matches --name-only --files-without-match --count --word-regexp " +
					"--invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --quiet --show-function --function-context --text --only-matching --and --or --not --context: --after-context: --before-context: " +
					"--heading --break --color? --no-color --max-depth: --max-count: --cached --untracked --all-match --column --full-name --null --threads:"),
				digits: true, operands: revisions, deep: func(*Use) bool { return true }, check: func(u *Use) bool { return u.has("-e") || len(u.operands) > 0 && u.operands[0].fixed },
			},
			"branch": {
				opts:     optionsOf("-a -r -v -vv -i --all --remotes --verbose --list --show-current --contains: --no-contains: --merged: --no-merged: --points-at: --sort: --format: --column? --no-column --color? --no-color --abbrev? --no-abbrev --ignore-case"),
				operands: data, check: all(plainFormats, func(u *Use) bool { return len(u.operands) == 0 || u.has("--list") }), // before 2.20, -l created a branch
			},
			"tag": {
				opts:     optionsOf("-l -n? -i --list --contains: --no-contains: --merged: --no-merged: --points-at: --sort: --format: --column? --no-column --color? --no-color --ignore-case"),
				operands: data, check: all(plainFormats, func(u *Use) bool { return len(u.operands) == 0 || u.has("-l", "--list") }),
			},
			"remote":         git("-v --verbose", noOperands),
			"remote get-url": git("--push --all", data),
			"worktree list":  git("-v -z --porcelain --verbose", noOperands),
			"config": {
				opts:     optionsOf("-l -z --list --get: --get-all: --get-regexp: --show-origin --show-scope --global --local --system --worktree --name-only --null --bool --int --path --type: --includes --no-includes"),
				operands: data, most: 1, check: func(u *Use) bool {
					return len(u.operands) == 0 || !u.has("--get", "--get-all", "--get-regexp", "-l", "--list") && strings.Contains(u.operands[0].text, ".")
				},
			},
			"fetch":     remote("-p -t -n -v -q -a -k --all --prune --prune-tags --tags --no-tags --depth: --unshallow --dry-run --verbose --quiet --append --keep --progress --no-progress --atomic --no-recurse-submodules --force -f --shallow-since: --jobs: -j:"),
			"pull":      remote("-v -q --ff-only --no-rebase --prune --verbose --quiet --no-edit --no-recurse-submodules --autostash --no-autostash --tags --no-tags --all"),
			"push":      remote("-u -v -q -n --set-upstream --verbose --quiet --dry-run --porcelain --progress --no-progress --follow-tags --no-verify"),
			"ls-remote": remote("-q -h -t -b --heads --branches --tags --refs --quiet --exit-code --get-url --symref --sort:"),
			"add":       {acts: true, opts: optionsOf("-A -u -n -v -N --all --no-all --update --dry-run --verbose --intent-to-add --ignore-errors --renormalize --refresh"), operands: paths},
			"commit": {
				acts: true, opts: optionsOf("-m: -a -q -v -s --message: --all --quiet --verbose --signoff --no-verify -n --allow-empty --dry-run --short --porcelain --date: --author: --no-gpg-sign"), operands: paths,
				check: func(u *Use) bool { return u.has("-m", "--message") },
			},
		},
	},
}

// git returns a form of git that only reads.
func git(opts string, o operands) *form {
	return &form{opts: optionsOf(opts), operands: o, check: plainFormats}
}

// history returns a form that lists commits, so that -5 is an option.
func history(opts string) *form {
	return &form{opts: optionsOf(opts), digits: true, operands: revisions, check: plainFormats}
}

// atoms are the fields that a git format may contain. Signatures are excluded because another program checks them, and
// describe because git starts itself for it.
const atoms = `(?:refname|objectname|objecttype|objectsize|objectmode|deltabase|parent|numparent|tree|object|type|tag|subject|body|contents|` +
	`(?:author|committer|tagger|creator)(?:name|email|date)?|upstream|push|HEAD|symref|worktreepath|ahead-behind|decorate|align|end|if|then|else|color|path|stage|eolinfo|eolattr)(?::[^()%]*)?`

var (
	plainFormat  = lazyregexp.New(`^(?:[^%]|%[+ -]?(?:[HhTtPpacdDSefsbBNgCmnxw<>%]|\(\*?` + atoms + `\)))*$`)
	plainSorting = lazyregexp.New(`^-?(?:v(?:ersion)?:)?\*?` + atoms + `$`)
)

// plainMagic matches the allowed prefixes of a pathspec. With top, the pathspec could be outside of the folder.
var plainMagic = lazyregexp.New(`^:\((?:exclude|icase|glob|literal)(?:,(?:exclude|icase|glob|literal))*$`)

// plainFormats reports whether no format or sort key makes git start a program.
var plainFormats = all(values(plainFormat.MatchString, "--format", "--pretty"), values(plainSorting.MatchString, "--sort"))

// remote returns a form of git that connects to the configured server.
func remote(opts string) *form {
	return &form{acts: true, opts: optionsOf(opts), operands: data, check: func(u *Use) bool {
		for i, o := range u.operands {
			if i == 0 && !slices.Contains([]string{"origin", "upstream"}, o.text) || strings.ContainsAny(o.text, ":+@\\~^") {
				return false
			}
		}
		return true
	}}
}
