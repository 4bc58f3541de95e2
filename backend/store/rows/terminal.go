package rows

import (
	"slices"

	"weft/backend/conversation/transcript"
)

// terminalEvent keeps the list of terminals that have not ended.
func (f *Fold) terminalEvent(c *callRow, body transcript.Body) error {
	switch b := body.(type) {
	case *transcript.TerminalStart:
		return f.conn.Exec("INSERT OR IGNORE INTO live_terminal (mid, seg, item, id) VALUES (?, ?, ?, ?)", c.Mid, c.Seg, c.Item, b.TerminalID)
	case *transcript.TerminalEnd:
		return f.conn.Exec("DELETE FROM live_terminal WHERE mid = ? AND seg = ? AND item = ? AND id = ?", c.Mid, c.Seg, c.Item, b.TerminalID)
	}
	return nil
}

// terminalDelta appends to the output of a terminal of c, or replaces the output if it does not continue it.
func (f *Fold) terminalDelta(c *callRow, at int64, b *transcript.ToolOutputDelta) error {
	i := slices.IndexFunc(c.call.Terminals, func(t transcript.Terminal) bool { return t.ID == b.TerminalID })
	if i < 0 {
		return nil
	}
	key := TextKey{c.Location, Terminal + i}
	n, err := f.length(key)
	if err != nil {
		return err
	}
	f.lengths[key] = n
	if t := f.texts[key]; t != nil {
		n += int64(len(t.buf))
	}
	if t := &c.call.Terminals[i]; b.Offset != t.TextStart+n {
		if err := f.dropText(key); err != nil {
			return err
		}
		t.TextStart = b.Offset
		f.touch(c)
	}
	f.add(key, b.Delta, at, false)
	return nil
}
