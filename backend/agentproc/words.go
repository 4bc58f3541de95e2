package agentproc

import (
	"strings"
	"sync"

	"weft/backend/agent"
)

// maxWords is how much is returned of what an agent has written beside the protocol, in bytes.
const maxWords = 4 << 10

// maxFirst is how much of maxWritten is for the first lines: programs begin with how to call them.
const maxFirst = maxWritten / 4

// noise is what an agent has written to stdout in place of protocol messages: its first lines and its last.
type noise struct {
	mu    sync.Mutex
	first string
	last  string
	full  bool // the next line isn't one of the first
	cut   bool // there were more between them
}

func (n *noise) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	line += "\n"
	if n.full = n.full || len(n.first)+len(line) > maxFirst; !n.full {
		n.first += line
		return
	}
	all := n.last + line
	n.last = end(all, maxWritten-maxFirst)
	n.cut = n.cut || len(n.last) < len(all)
}

func (n *noise) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cut && n.first != "" {
		return n.first + "…\n" + n.last
	}
	return n.first + n.last
}

// words returns the last that an agent has written beside the protocol, such as the address at which the user signs in.
func words(proc *agent.Process, n *noise) string {
	return strings.TrimSpace(end(n.String()+end(proc.StderrTail(), maxWords), maxWords))
}

// end returns the last bytes of a text, from the beginning of a line where it is cut.
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

// Words returns the last that the process has written beside the protocol: to stderr, and to stdout what isn't a message. It may contain secrets.
// It may be asked once [Lease.Connect] has returned.
func (p *Process) Words() string { return words(p.proc, &p.noise) }

// VisitWords is [Process.Words] for an agent that is visited, "" for one that isn't.
func (p *Pool) VisitWords(agentID string) string {
	if said, ok := p.visits.Load(agentID); ok {
		return said.(func() string)()
	}
	return ""
}
