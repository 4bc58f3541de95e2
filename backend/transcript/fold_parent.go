package transcript

import "path"

// maxThreads is how many sub-agents of one message are told apart by their threads.
const maxThreads = 4096

// parent is the id of the call that a chunk belongs to, "" if it belongs to none.
func (f *Fold) parent(u *Update) string {
	if u.ParentToolCallID == "" && u.Thread.ID != "" {
		return f.threads[u.Thread.ID]
	}
	return boundID(u.ParentToolCallID)
}

// parentOf is the call that a call belongs to as far as a report tells, nil where it tells nothing.
func (f *Fold) parentOf(id string, p *ToolPatch) *string {
	if p.ParentID != nil {
		parent := boundID(*p.ParentID)
		return &parent
	}
	if p.Thread.ID == "" {
		return nil
	}
	stands, known := f.threads[p.Thread.ID]
	switch {
	case !known && len(f.threads) < maxThreads:
		if f.threads == nil {
			f.threads = map[string]string{}
		}
		f.threads[p.Thread.ID] = id
		if p.Thread.Path != "" {
			f.threads["path "+path.Clean(p.Thread.Path)] = id
		}
		fallthrough
	case stands == id:
		if above, ok := f.threads["path "+path.Dir(p.Thread.Path)]; ok && above != id {
			return &above
		}
		return nil
	}
	return &stands
}
