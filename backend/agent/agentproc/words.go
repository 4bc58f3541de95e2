package agentproc

import (
	"strings"
	"sync"

	"weft/backend/agent"
)

// maxWords limits how much of an agent's output outside of the protocol is returned, in bytes.
const maxWords = 4 << 10

// maxFirst is the part of maxWritten for the first lines, because many programs print their usage first.
const maxFirst = maxWritten / 4

// noise is output on stdout that isn't protocol messages: the first and the last lines.
type noise struct {
	mu    sync.Mutex
	first string
	last  string
	full  bool // the next line isn't one of the first
	cut   bool // there were more lines in between
	all   int  // bytes so far
}

func (n *noise) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	line += "\n"
	n.all += len(line)
	if n.full = n.full || len(n.first)+len(line) > maxFirst; !n.full {
		n.first += line
		return
	}
	all := n.last + line
	n.last = end(all, maxWritten-maxFirst)
	n.cut = n.cut || len(n.last) < len(all)
}

func (n *noise) String() string { return n.since(0) }

// since returns what is kept of the lines after the first bytes: see written.
func (n *noise) since(bytes int) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := n.first + n.last
	if n.cut && n.first != "" {
		text = n.first + "…\n" + n.last
	}
	if bytes == 0 {
		return text // the mark of what is cut may be longer than that
	}
	return text[len(text)-min(len(text), n.all-bytes):]
}

// written returns the number of bytes so far.
func (n *noise) written() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all
}

// words returns the last output of an agent outside of the protocol, such as the URL for signing in.
func words(proc *agent.Process, n *noise) string {
	return strings.TrimSpace(end(n.String()+end(proc.StderrTail(), maxWords), maxWords))
}

// end returns the last bytes of a text. If it is truncated, it starts at a line.
func end(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	if _, whole, found := strings.Cut(text, "\n"); found && whole != "" {
		return whole
	}
	return strings.ToValidUTF8(text, "")
}

// Words returns the last output of the process outside of the protocol: stderr, and what isn't a message on stdout. It
// may contain secrets. It must not be called before [Lease.Connect] has returned.
func (p *Process) Words() string { return words(p.proc, &p.noise) }

// VisitWords is like [Process.Words] for a visited agent. It returns "" if the agent isn't being visited.
func (p *Pool) VisitWords(agentID string) string {
	if said, ok := p.visits.Load(agentID); ok {
		return said.(func() string)()
	}
	return ""
}
