package claude

import (
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
)

// sideChains are entries of sub-agents that are in the file of the conversation, as older versions keep them.
type sideChains struct {
	chains map[sessionfiles.EntryID]*sideChain // by each of their entries
	begun  map[uint64][]*sideChain             // by their prompt
}

type sideChain struct {
	lines []span
	taken bool
}

type span struct{ offset, size int64 }

// add takes an entry of a sub-agent.
func (s *sideChains) add(h head, l *sessionfiles.Line) {
	if s.chains == nil {
		s.chains, s.begun = map[sessionfiles.EntryID]*sideChain{}, map[uint64][]*sideChain{}
	}
	chain := s.chains[sessionfiles.ReadEntryID(h.parent)]
	if chain == nil || h.parent == nil {
		chain = &sideChain{}
		if h.kind == "user" {
			prompt := promptSum(allText(scan.Member(h.message, "content")))
			s.begun[prompt] = append(s.begun[prompt], chain)
		}
	}
	chain.lines = append(chain.lines, span{l.Offset, l.Size})
	if h.uuid != nil {
		s.chains[sessionfiles.ReadEntryID(h.uuid)] = chain
	}
}

// take returns the lines of a sub-agent that was started with a prompt, nil if there is none.
func (s *sideChains) take(prompt string) []span {
	sum := promptSum(prompt)
	list := s.begun[sum]
	if len(list) == 0 {
		return nil
	}
	s.begun[sum] = list[1:]
	list[0].taken = true
	return list[0].lines
}

// left returns how many sub-agents were not taken.
func (s *sideChains) left() int {
	chains := map[*sideChain]bool{}
	for _, c := range s.chains {
		if !c.taken {
			chains[c] = true
		}
	}
	return len(chains)
}

func promptSum(s string) uint64 { return maphash.String(seed, strings.TrimSpace(s)) }

// maxDepth is how deep sub-agents are in each other.
const maxDepth = 4

// subAgent writes what a sub-agent has done that a call has started.
func (r *reader) subAgent(id, prompt string) error {
	for _, at := range r.side.take(prompt) {
		text, err := lineAt(r.file, at.offset, at.size)
		if err != nil {
			return err
		}
		if err := r.nested(id, text); err != nil {
			return err
		}
	}
	if r.agents == nil {
		r.findAgents()
	}
	if path := r.agents[id]; path != "" {
		delete(r.agents, id)
		r.nestedFile(id, path)
	}
	return nil
}

// findAgents finds the files of sub-agents, which say beside them which call has started them.
func (r *reader) findAgents() {
	r.agents = map[string]string{}
	dir := filepath.Join(strings.TrimSuffix(r.path, ".jsonl"), "subagents")
	files, err := os.ReadDir(sessionfiles.Inside(dir))
	if err != nil {
		return // there are none
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".meta.json")
		if !ok {
			continue
		}
		about, err := sessionfiles.ReadSmall(filepath.Join(dir, f.Name()), 1<<20)
		if err != nil || !scan.Valid(about) {
			continue
		}
		if call := sessionfiles.Members(about).Text("toolUseId"); call != "" {
			r.agents[call] = filepath.Join(dir, name+".jsonl")
		}
	}
}

// subAgentFile writes what the sub-agent of that id has done, if there is a file that a call doesn't name.
func (r *reader) subAgentFile(id, agent string) {
	if strings.ContainsAny(agent, `/\`) || r.agents["done "+id] != "" {
		return
	}
	dir := strings.TrimSuffix(r.path, ".jsonl")
	for _, path := range []string{filepath.Join(dir, "subagents", "agent-"+agent+".jsonl"), filepath.Join(filepath.Dir(dir), "agent-"+agent+".jsonl")} {
		if _, err := os.Stat(path); err == nil {
			r.nestedFile(id, path)
			return
		}
	}
}

// nestedFile writes the entries of a file below a call. One that can't be read is left out.
func (r *reader) nestedFile(id, path string) {
	if r.agents == nil {
		r.agents = map[string]string{}
	}
	r.agents["done "+id] = path
	if r.depth == maxDepth {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	f, err := sessionfiles.Open(path)
	if err != nil {
		r.w.Note(sessionfiles.PartOfSubAgent)
		return
	}
	defer f.Close()
	err = sessionfiles.Lines(f, func(l *sessionfiles.Line) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if l.Text == nil || l.Text[0] != '{' || !scan.Valid(l.Text) {
			if !l.Torn {
				r.w.Note(sessionfiles.PartOfSubAgent)
			}
			return nil
		}
		if err := r.nested(id, l.Text); err != nil {
			return err
		}
		return r.w.Flush()
	})
	if err != nil {
		r.w.Note(sessionfiles.PartOfSubAgent)
	}
}

// nested writes an entry of a sub-agent below a call.
func (r *reader) nested(id string, text []byte) error {
	text, ok := sessionfiles.Clean(text, r.w)
	if !ok {
		r.w.Note(sessionfiles.PartOfSubAgent)
		return nil
	}
	o := sessionfiles.Members(text)
	r.w.Inner(o["uuid"])
	was := r.w.Under(id)
	defer r.w.Under(was)
	content := scan.Member(o["message"], "content")
	switch plain(o["type"]) {
	case "assistant":
		return r.said(content)
	case "user":
		for _, block := range scan.Elements(content) {
			if b := sessionfiles.Members(block); plain(b["type"]) == "tool_result" {
				r.result(b, o)
			}
		}
	}
	return nil
}
