package events

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// The journal is a table of fixed-size slots, one per page of the file. An append overwrites the slots that it needs,
// so a commit writes one page per 4 KB and never changes the list of free pages. A fold doesn't write to the journal: a
// slot is valid only while its base equals the folded_seq of the space with its epoch, and the fold changes folded_seq.
const (
	slotSize   = 4048
	slotHeader = 24
	slotRoom   = slotSize - slotHeader
)

// journal manages the slots. The writer's goroutine owns it.
type journal struct {
	c     *db.Conn
	slots int64   // in the table
	free  []int64 // the last one is used first
}

// pending is the journal of one space: its lines, in order, in its slots.
type pending struct {
	slots []int64
	tail  []byte // the lines in the last slot; never changed in place
}

// append writes lines after those of p and returns the result. It changes neither p nor the free slots, so that a
// failed transaction leaves them unchanged; took updates the free slots after the commit.
func (j *journal) append(p pending, epoch, base int64, lines []byte, taken *int) (pending, error) {
	if len(p.slots) > 0 {
		// Filling the last slot rewrites its page, which is only worth it if it saves another page.
		room := slotRoom - len(p.tail)
		if 1+pages(len(lines)-room) <= pages(len(lines)) {
			n := min(room, len(lines))
			p.tail = append(slices.Clip(p.tail), lines[:n]...)
			lines = lines[n:]
			if err := j.write(&p, epoch, base); err != nil {
				return p, err
			}
		}
	}
	for len(lines) > 0 {
		n := min(slotRoom, len(lines))
		p.slots, p.tail = append(slices.Clip(p.slots), j.take(taken)), lines[:n:n]
		lines = lines[n:]
		if err := j.write(&p, epoch, base); err != nil {
			return p, err
		}
	}
	return p, nil
}

// pages returns how many slots n bytes fill.
func pages(n int) int { return (max(n, 0) + slotRoom - 1) / slotRoom }

// take returns a free slot. taken counts those that the transaction has used so far.
func (j *journal) take(taken *int) int64 {
	*taken++
	if left := len(j.free) - *taken; left >= 0 {
		return j.free[left]
	}
	return j.slots + int64(*taken-len(j.free))
}

// write writes the last slot of p.
func (j *journal) write(p *pending, epoch, base int64) error {
	data := make([]byte, slotSize)
	binary.BigEndian.PutUint64(data[0:], uint64(epoch))
	binary.BigEndian.PutUint64(data[8:], uint64(base))
	binary.BigEndian.PutUint32(data[16:], uint32(len(p.slots)-1))
	binary.BigEndian.PutUint32(data[20:], uint32(len(p.tail)))
	copy(data[slotHeader:], p.tail)
	n := p.slots[len(p.slots)-1]
	if n > j.slots {
		return j.c.Exec("INSERT INTO journal (n, data) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET data = ?2", n, data)
	}
	return j.c.Exec("UPDATE journal SET data = ? WHERE n = ?", data, n)
}

// took removes the slots that a committed transaction used from the free ones.
func (j *journal) took(taken int) {
	if grown := taken - len(j.free); grown > 0 {
		j.slots += int64(grown)
	}
	j.free = j.free[:max(len(j.free)-taken, 0)]
}

// release frees the slots of a space that was folded.
func (j *journal) release(p *pending) {
	j.free = append(j.free, p.slots...)
	*p = pending{}
}

// slot is a row of the journal.
type slot struct {
	epoch, base int64
	index       uint32
	lines       []byte
}

// load returns all slots, by epoch and base, and frees them. The caller must fold them before the next append.
func (j *journal) load() (all map[[2]int64][]slot, err error) {
	all = map[[2]int64][]slot{}
	j.slots, j.free = 0, nil
	err = j.c.Each("SELECT n, data FROM journal ORDER BY n DESC", nil, func(scan db.Scan) (bool, error) {
		var n int64
		var data []byte
		if err := scan(&n, &data); err != nil {
			return false, err
		}
		j.slots, j.free = max(j.slots, n), append(j.free, n)
		if len(data) != slotSize {
			return true, nil
		}
		s := slot{epoch: int64(binary.BigEndian.Uint64(data)), base: int64(binary.BigEndian.Uint64(data[8:])), index: binary.BigEndian.Uint32(data[16:])}
		if size := int(binary.BigEndian.Uint32(data[20:])); size <= slotRoom {
			s.lines = data[slotHeader : slotHeader+size]
			key := [2]int64{s.epoch, s.base}
			all[key] = append(all[key], s)
		}
		return true, nil
	})
	return all, err
}

// slotEvents parses the lines of a space's slots. unread counts the lines that can't be parsed, which happens only in a
// damaged file. It stops at the first missing slot.
func slotEvents(slots []slot) (events []transcript.Event, unread int) {
	slices.SortFunc(slots, func(a, b slot) int { return cmp.Compare(a.index, b.index) })
	var lines []byte
	for i, s := range slots {
		if s.index != uint32(i) {
			unread++
			break
		}
		lines = append(lines, s.lines...)
	}
	for line := range bytes.Lines(lines) {
		e, err := transcript.ParseEvent(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			unread++
			continue
		}
		events = append(events, e)
	}
	return events, unread
}
