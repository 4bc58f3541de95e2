package shell

import (
	"slices"
	"strings"
)

// systemPrograms read files, folders and system information.
var systemPrograms = map[string]*program{
	"ls": only(reads("-a -A -l -h -t -r -R -S -1 -d -F -i -s -p -g -G -o -n -u -c -C -m -x -X -U -f -b -q -Q -N -H -k -Z -v --color? --group-directories-first --all --almost-all --human-readable --recursive --reverse " +
		"--sort: --time: --time-style: --size --inode --directory --classify? --hide: --ignore: --full-time --si --width: --format: --file-type --numeric-uid-gid --no-group")),
	"stat":     only(reads("-c: -L -t --format: --printf: --terse --dereference")),
	"file":     only(reads("-b -i -I -L -h -k --brief --mime --mime-type --mime-encoding --keep-going")),
	"du":       only(reads("-s -h -a -c -k -m -b -x -d: --max-depth: --summarize --human-readable --total --all --apparent-size --bytes --exclude: --one-file-system")),
	"df":       only(reads("-h -k -m -i -P -a -l --human-readable --inodes --local --total")),
	"tree":     only(&form{style: separate, operands: paths, opts: optionsOf("-a -d -f -i -s -h -C -n -p -D -F -t -r -L: -I: -P: --dirsfirst --noreport --prune -J --gitignore --filelimit:")}),
	"realpath": only(reads("-e -m -s -q -z --canonicalize-existing --canonicalize-missing --no-symlinks --quiet --zero")),
	"readlink": only(reads("-f -e -m -n -q -s -v -z --canonicalize --no-newline")),
	"basename": only(prints("-a -s: -z --multiple --suffix: --zero", data)),
	"dirname":  only(prints("-z --zero", data)),
	"cksum":    only(filters("")),
	"md5sum":   only(sums()), "sha1sum": only(sums()), "sha256sum": only(sums()), "sha512sum": only(sums()), "b2sum": only(sums()),
	"find":    only(&form{read: find}),
	"tar":     only(&form{read: listArchive}),
	"zipinfo": only(&form{opts: optionsOf("-1 -l -s -m -v -h -t"), operands: paths, early: true, noEnd: true}),
	"unzip":   only(&form{opts: optionsOf("-l -v -Z -1 -q"), operands: paths, early: true, noEnd: true, check: func(u *Use) bool { return u.has("-l", "-Z") }}),
	"test":    only(&form{filter: true, read: test}),
	"[": only(&form{filter: true, read: func(u *Use, words []word) bool {
		n := len(words) - 1
		return n >= 0 && words[n].fixed && words[n].text == "]" && test(u, words[:n])
	}}),
	"date": only(&form{early: true, opts: optionsOf("-u -R -I? --iso-8601? --utc --rfc-3339: --date:"), operands: data, most: 1, check: func(u *Use) bool {
		return len(u.operands) == 0 || strings.HasPrefix(u.operands[0].text, "+")
	}}),
	"true": only(&form{filter: true}), "false": only(&form{filter: true}), ":": only(&form{filter: true}),
	"pwd":    only(&form{opts: optionsOf("-L -P"), filter: true}),
	"cd":     only(&form{opts: optionsOf("-L -P"), operands: paths, most: 1, filter: true}),
	"sleep":  only(&form{operands: data, filter: true}),
	"seq":    only(&form{opts: optionsOf("-w -s: -f:"), digits: true, operands: data, filter: true}),
	"whoami": only(prints("", noOperands)), "id": only(prints("-u -g -n -G -r", noOperands)), "groups": only(prints("", noOperands)),
	"uname": only(prints("-a -s -r -m -n -v -p -i -o", noOperands)), "nproc": only(prints("--all", noOperands)), "arch": only(prints("", noOperands)),
	"hostname": only(prints("-f -s -i -I", noOperands)), "uptime": only(prints("-p -s", noOperands)), "tty": only(prints("-s", noOperands)),
	"which":   only(prints("-a", data)),
	"type":    only(prints("-t -a -p", data)),
	"command": only(&form{opts: optionsOf("-v -V"), operands: data, early: true, noEnd: true, check: func(u *Use) bool { return u.has("-v", "-V") }}),
	"free":    only(prints("-h -m -g -k -t -w", noOperands)),
}

func sums() *form { return filters("-b -t -z --binary --text --tag --zero") }

// findTests maps the find predicates that only read to the number of their arguments.
var findTests = map[string]int{
	"-name": 1, "-iname": 1, "-path": 1, "-ipath": 1, "-wholename": 1, "-iwholename": 1, "-regex": 1, "-iregex": 1, "-regextype": 1, "-type": 1, "-xtype": 1, "-size": 1, "-mtime": 1, "-mmin": 1, "-atime": 1,
	"-amin": 1, "-ctime": 1, "-cmin": 1, "-newer": 1, "-samefile": 1, "-maxdepth": 1, "-mindepth": 1, "-perm": 1, "-user": 1, "-group": 1, "-links": 1, "-inum": 1, "-printf": 1,
	"-empty": 0, "-print": 0, "-print0": 0, "-prune": 0, "-o": 0, "-or": 0, "-a": 0, "-and": 0, "-not": 0, "!": 0, "(": 0, ")": 0, "-ls": 0, "-depth": 0, "-xdev": 0, "-mount": 0,
	"-true": 0, "-false": 0, "-readable": 0, "-writable": 0, "-executable": 0, "-quit": 0, "-daystart": 0, "-nouser": 0, "-nogroup": 0,
}

// find reads the folders and the expression of a find command that only reads.
func find(u *Use, words []word) bool {
	expression := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !w.fixed && (expression || !w.pattern) {
			return false
		}
		if !expression && (i == 0 && (w.text == "-H" || w.text == "-P")) {
			continue
		}
		if expression = expression || strings.HasPrefix(w.text, "-") || w.text == "!" || w.text == "("; !expression {
			u.files = append(u.files, w)
			continue
		}
		n, ok := findTests[w.text]
		if !ok || i+n >= len(words) {
			return false
		}
		for k := range n {
			if !words[i+1+k].fixed {
				return false
			}
			if w.text == "-newer" || w.text == "-samefile" {
				u.files = append(u.files, words[i+1+k])
			}
		}
		i += n
	}
	return true
}

// listArchive reads a tar command that lists a file of the folder. It starts gzip, bzip2 or xz, and no other program.
// The first word is a group of options even without a dash; the values of its letters follow in order. Groups with and
// without a dash mean the same only if the letter with a value is the last one.
func listArchive(u *Use, words []word) bool {
	if len(words) > 0 && words[0].fixed && !strings.HasPrefix(words[0].text, "-") {
		words = slices.Clone(words)
		words[0].text = "-" + words[0].text
	}
	for _, w := range words {
		if i := strings.IndexByte(w.text, 'f'); strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && i >= 0 && i < len(w.text)-1 {
			return false
		}
	}
	f := &form{opts: optionsOf("-t -v -z -j -J -f@ --list --verbose --gzip --file@"), operands: data}
	own := *u
	if own.form = f; !own.read(words) || !own.has("-t", "--list") || len(own.files) != 1 || strings.Contains(own.files[0].text, ":") {
		return false // a name with ":" is on another machine
	}
	u.files = own.files
	return true
}

// test reads an expression of test or [ that no shell evaluates as arithmetic.
func test(u *Use, words []word) bool {
	for _, w := range words {
		if !w.fixed {
			return false
		}
	}
	if len(words) > 0 && words[0].text == "!" {
		words = words[1:]
	}
	switch len(words) {
	case 1:
		return !strings.HasPrefix(words[0].text, "-")
	case 2:
		switch words[0].text {
		case "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h":
			u.files = append(u.files, words[1])
			return true
		case "-n", "-z":
			return true
		}
	case 3:
		switch words[1].text {
		case "=", "!=":
			return !strings.HasPrefix(words[0].text, "-") && words[0].text != "!" && words[0].text != "("
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			return digits(words[0].text) && digits(words[2].text)
		}
	}
	return false
}
