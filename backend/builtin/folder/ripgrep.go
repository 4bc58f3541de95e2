package folder

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"regexp/syntax"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// errRipgrep means that ripgrep couldn't do a search and Go code must do it.
var errRipgrep = errors.New("ripgrep couldn't search")

// Limits of one ripgrep process.
const (
	maxArgs      = 256 << 10 // bytes of file names
	maxArgsSmall = 24 << 10  // on Windows, where the whole command line is limited to 32 KB
	maxEvent     = 32 << 20  // bytes of an output line, which may contain a whole escaped file
	maxTime      = time.Minute
)

// ripgrep runs the program rg in a directory.
type ripgrep struct {
	program string // "" if it isn't installed
	dir     string
}

// lookRipgrep returns the path of rg, or "" if it isn't installed.
func lookRipgrep() string {
	path, err := exec.LookPath("rg")
	if err != nil {
		return ""
	}
	return path
}

// portable returns an equivalent expression for ripgrep: classes are spelled out, and \b is ASCII-only. It returns
// false if there is none.
func portable(re *syntax.Regexp) (string, bool) {
	if anchored(re) {
		return "", false
	}
	var b strings.Builder
	for s := re.String(); s != ""; {
		switch {
		case strings.HasPrefix(s, `\b`), strings.HasPrefix(s, `\B`):
			b.WriteString(`(?-u:` + s[:2] + `)`)
			s = s[2:]
		case s[0] == '\\' && len(s) > 1:
			b.WriteString(s[:2])
			s = s[2:]
		case s[0] == '\n':
			return "", false
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String(), true
}

// anchored reports whether an expression contains anchors of the whole text, or line breaks.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText:
		return true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' || r == '\r' {
				return true
			}
		}
	default:
	}
	for _, sub := range re.Sub {
		if anchored(sub) {
			return true
		}
	}
	return false
}

// ripgrep searches with rg. All files are passed by name, so that neither rg's ignore rules nor links affect what is
// read, and rg uses one thread, so that results are in order.
func (s *search) ripgrep(ctx context.Context, rg ripgrep, pattern string) (Found, error) {
	out := s.start
	texts := s.files[:0:0]
	for _, rel := range s.files {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		head, err := s.disk.head(rel)
		switch {
		case err != nil:
		case isBinary(head):
			out.Binary++
		default:
			texts = append(texts, rel)
		}
	}
	c := collector{context: s.context, out: &out}
	for len(texts) > 0 {
		if out.Total >= maxCounted {
			out.Stopped = true
			return out, nil
		}
		n := batch(texts)
		if err := rg.run(ctx, pattern, texts[:n], &c); err != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			return s.start, errRipgrep
		}
		out.Scanned += n
		texts = texts[n:]
	}
	return out, nil
}

// batch returns how many names fit into one command line.
func batch(names []string) int {
	limit := maxArgs
	if runtime.GOOS == "windows" {
		limit = maxArgsSmall
	}
	size := 0
	for i, name := range names {
		if size += len(name) + 3; size > limit && i > 0 {
			return i
		}
	}
	return len(names)
}

// run searches files that fit into one command line.
func (rg ripgrep) run(ctx context.Context, pattern string, files []string, c *collector) error {
	args := []string{"--json", "--no-config", "--no-messages", "--threads=1", "--text", "--encoding=none", "--crlf", "--no-mmap"}
	if c.context > 0 {
		args = append(args, "--context="+strconv.Itoa(c.context))
	}
	args = append(args, "--regexp="+pattern, "--")
	for _, rel := range files {
		args = append(args, "./"+rel)
	}
	// A file may have been replaced with a pipe, on which ripgrep would block.
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, rg.program, args...)
	cmd.Dir, cmd.WaitDelay = rg.dir, time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	enough, readErr := readEvents(stdout, c)
	if enough || readErr != nil {
		cancel()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case readErr != nil:
		return readErr
	case enough, err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 1: // nothing found
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 2 && c.out.Total > 0: // a file was deleted meanwhile
		return nil
	}
	return err
}

// event is a line of ripgrep's output.
type event struct {
	Type string `json:"type"`
	Data struct {
		Path  encoded `json:"path"`
		Lines encoded `json:"lines"`
		Line  int     `json:"line_number"`
	} `json:"data"`
}

// encoded is a text, or bytes that aren't UTF-8.
type encoded struct {
	Text  string `json:"text"`
	Bytes []byte `json:"bytes"`
}

func (e encoded) bytes() []byte {
	if e.Bytes != nil {
		return e.Bytes
	}
	return []byte(e.Text)
}

func readEvents(r io.Reader, c *collector) (enough bool, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxEvent)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return false, err
		}
		switch e.Type {
		case "begin":
			if c.out.Total >= maxCounted {
				c.out.Stopped = true
				return true, nil
			}
			c.begin(strings.TrimPrefix(filepath.ToSlash(string(e.Data.Path.bytes())), "./"))
		case "match":
			c.match(e.Data.Line, trimEnd(e.Data.Lines.bytes()))
		case "context":
			c.near(e.Data.Line, trimEnd(e.Data.Lines.bytes()))
		}
	}
	return false, lines.Err()
}
