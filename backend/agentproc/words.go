package agentproc

import (
	"strings"
	"sync"

	"weft/backend/agent"
)

// maxWords is how much is returned of what an agent has written beside the protocol, in bytes.
const maxWords = 4 << 10

// noise is the last that an agent has written to stdout in place of protocol messages.
type noise struct {
	mu   sync.Mutex
	last string
}

func (n *noise) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = end(n.last+line+"\n", maxWritten)
}

func (n *noise) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
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
