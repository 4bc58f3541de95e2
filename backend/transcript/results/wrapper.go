package results

import (
	"strconv"
	"strings"

	"weft/backend/lazyregexp"
)

// ran is what a text says about a command, without the lines that an agent puts around its output.
type ran struct {
	output  string
	exit    *int
	stopped bool // by the user
}

// What agents write around the output of a command.
var (
	// labeled is a line "Label: value" of those that are before or behind the output.
	labeled = lazyregexp.New(`(?i)^(command|directory|cwd|output|stdout|stderr|error|exit code|exit_code|exit status|signal|background pids|process group pgid|wall time|chunk id|original token count|total output lines|execution time|duration):(?: (.*))?$`)
	// ended is a line that says how the command ended.
	ended = lazyregexp.New(`(?i)^[<(\[]?(?:shellId: \S+ )?(?:(?:the |shell )?(?:command|process|script|program)(?: with id:? \S+| \S+)? )?(?:has )?(?:exited|exit|failed|finished|terminated|completed)(?: unexpectedly)?(?: with)?(?: an?)?(?: exit)?(?: code| status):? ?(-?\d{1,10})[>)\]]?\.?$`)
	// metadata is a block behind the output in which an agent says what it did with the command.
	metadata = lazyregexp.New(`(?s)\n*<(?:bash|shell|command|exec|tool)_metadata>\n?(.*?)\n?</(?:bash|shell|command|exec|tool)_metadata>\s*$`)
	tagged   = lazyregexp.New(`(?s)^\s*<(?:bash-)?(stdout|output|stderr)>(.*?)</(?:bash-)?(?:stdout|output|stderr)>`)
	taggedOf = lazyregexp.New(`^\s*<(?:exit_?code|returncode|exitCode)>\s*(-?\d{1,10})\s*</`)
)

// unwrapped takes off a text what an agent puts around the output of a command; ok is false where nothing is around it.
func unwrapped(text string) (r ran, ok bool) {
	r.output = strings.TrimRight(text, "\r\n")
	if strings.HasSuffix(r.output, "_metadata>") {
		if m := metadata.FindStringSubmatchIndex(r.output); m != nil {
			r.stopped = stoppedWords.MatchString(r.output[m[2]:m[3]])
			r.output, ok = r.output[:m[0]], true
		}
	}
	if r.untag() {
		return r, true
	}
	if line, rest, more := strings.Cut(r.output, "\n"); more && strings.HasPrefix(line, "$ ") { // the command, as in a terminal
		r.output, ok = rest, true
	}
	head, inner := r.head()
	if head {
		ok = true
		if inner {
			r.foot()
		}
	}
	if r.exit == nil {
		if line, rest := lastLine(r.output); r.endedBy(line) {
			r.output, ok = rest, true
		}
	}
	if word := strings.Trim(r.output, " \r\n()[]"); len(word) <= len("no output") { // a large output isn't copied for that
		switch strings.ToLower(word) {
		case "none", "empty", "no output", "nothing":
			r.output = ""
		}
	}
	if ok || strings.Contains(r.output, "\n[stderr]\n") {
		ok = true
		r.output = strings.TrimSpace(streamMark.ReplaceAllString(r.output, ""))
	}
	return r, ok
}

// streamMark is a line that says which stream the next ones are of.
var streamMark = lazyregexp.New(`(?m)^\n?\[(?:stdout|stderr)\]\r?\n`)

// untag reads <stdout>…</stdout><stderr>…</stderr><exit_code>…</exit_code>.
func (r *ran) untag() bool {
	rest, out := r.output, []string{}
	for {
		m := tagged.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		if inner := strings.Trim(m[2], "\r\n"); inner != "" {
			out = append(out, inner)
		}
		rest = rest[len(m[0]):]
	}
	if len(rest) == len(r.output) {
		return false
	}
	if m := taggedOf.FindStringSubmatch(rest); m != nil {
		r.exit = number(m[1])
	}
	r.output = strings.Join(out, "\n")
	return true
}

// head takes off the lines before the output; inner reports whether they end with a label of the output, so that there
// may be labels behind it too.
func (r *ran) head() (found, inner bool) {
	rest, strong := r.output, false
	var exit *int
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		line = strings.TrimRight(line, "\r")
		if m := ended.FindStringSubmatch(line); m != nil {
			exit, strong, rest = number(m[1]), true, after
			continue
		}
		m := labeled.FindStringSubmatch(line)
		if m == nil {
			if strings.EqualFold(strings.TrimRight(line, "."), "command executed") {
				rest = after
				continue
			}
			break
		}
		switch strings.ToLower(m[1]) {
		case "output", "stdout":
			if !strong {
				return false, false
			}
			r.exit, r.output = exit, strings.TrimPrefix(rest[strings.IndexByte(rest, ':')+1:], " ")
			r.output = strings.TrimPrefix(strings.TrimPrefix(r.output, "\r"), "\n")
			return true, true
		case "exit code", "exit_code", "exit status":
			exit = number(m[2])
			strong = exit != nil
		case "command":
			// It may continue for several lines.
			if i := strings.Index(rest, "\nDirectory: "); i >= 0 {
				after = rest[i+1:]
			}
		case "directory", "cwd", "wall time", "chunk id", "total output lines", "original token count":
			strong = true
		case "error", "stderr", "signal":
			return false, false
		}
		rest = after
	}
	if exit == nil {
		return false, false
	}
	r.exit, r.output = exit, rest
	return true, false
}

// foot takes off the labels behind the output.
func (r *ran) foot() {
	for {
		line, rest := lastLine(r.output)
		m := labeled.FindStringSubmatch(line)
		if m == nil {
			return
		}
		value := strings.TrimSpace(m[2])
		none := value == "" || value == "(none)" || value == "null"
		switch strings.ToLower(m[1]) {
		case "exit code", "exit_code", "exit status":
			r.exit = number(value)
		case "error":
			if !none { // of the command, beside its output
				rest = strings.TrimPrefix(rest+"\n"+value, "\n")
			}
			r.output = rest
			return
		case "signal", "background pids", "process group pgid", "duration", "execution time", "wall time":
		default:
			return
		}
		r.output = rest
	}
}

// endedBy reads a line that says how the command ended.
func (r *ran) endedBy(line string) bool {
	m := ended.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil {
		return false
	}
	r.exit = number(m[1])
	return true
}

func lastLine(s string) (line, rest string) {
	s = strings.TrimRight(s, " \t\r\n")
	i := strings.LastIndexByte(s, '\n')
	if i < 0 {
		return s, ""
	}
	return s[i+1:], strings.TrimRight(s[:i], "\r")
}

func number(s string) *int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return nil
	}
	return &n
}
