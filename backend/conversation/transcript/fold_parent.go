package transcript

import "path"

// maxThreads is the number of sub-agents of one message that are distinguished by thread.
const maxThreads = 4096

// subAgents finds the calls of a message that stand for sub-agents; see [Thread].
type subAgents struct {
	calls map[string]string // ids of calls, by thread, and by "path " with the path
}

// ofChunk returns the id of the parent call of a chunk, "" if it has none.
func (s *subAgents) ofChunk(u *Update) string {
	if u.ParentToolCallID == "" && u.Thread.ID != "" {
		return s.calls[u.Thread.ID]
	}
	return boundID(u.ParentToolCallID)
}

// ofCall returns the id of the parent call of the call id, or nil if the report says nothing about it.
func (s *subAgents) ofCall(id string, p *ToolPatch) *string {
	if p.ParentID != nil {
		parent := boundID(*p.ParentID)
		return &parent
	}
	if p.Thread.ID == "" {
		return nil
	}
	stands, known := s.calls[p.Thread.ID]
	switch {
	case !known && len(s.calls) < maxThreads:
		if s.calls == nil {
			s.calls = map[string]string{}
		}
		s.calls[p.Thread.ID] = id
		if p.Thread.Path != "" {
			s.calls["path "+path.Clean(p.Thread.Path)] = id
		}
		fallthrough
	case stands == id:
		if above, ok := s.calls["path "+path.Dir(p.Thread.Path)]; ok && above != id {
			return &above
		}
		return nil
	}
	return &stands
}
