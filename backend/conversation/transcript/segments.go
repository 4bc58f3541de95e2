package transcript

// segments tracks the last segment of a message, to decide whether the next piece joins it or opens another one.
type segments struct {
	count int         // of all segments so far
	last  SegmentType // "" if there is none
	items int         // of the last segment, if it is a tool group

	begun     bool // there is more than notes by Weft and notices
	inThought bool // the last item of the last tool group is a thought
	apart     bool // the last text segment is apart; see [Update]

	text    textSource // of the last text segment
	thought textSource // of the last thought
}

// textSource is the source of a text segment or a thought. Text from another source opens a new one. Text without a
// message id joins any.
type textSource struct {
	id     string // of the agent's message, "" if the agent gave none
	parent string // id of the parent call
	author string
}

// inNote reports whether the last segment is a note by Weft.
func (s *segments) inNote() bool { return s.last == SegmentText && s.text.author == "app" }

// addText returns the segment for the text of u, and whether u opens it.
func (s *segments) addText(u *Update, author, parent string) (segment int, opens bool) {
	opens = s.last != SegmentText || author != s.text.author || parent != s.text.parent ||
		u.MessageID != s.text.id && (u.MessageID != "" || u.Apart || s.apart)
	if opens {
		s.count++
		s.last, s.text, s.apart = SegmentText, textSource{parent: parent, author: author}, u.Apart
		s.begun = s.begun || author != "app" && author != AuthorNotice
	}
	if u.MessageID != "" {
		s.text.id = u.MessageID
	}
	return s.count - 1, opens
}

// addDisplay returns the segment for a new display.
func (s *segments) addDisplay() int {
	s.count++
	s.last, s.begun = SegmentDisplay, true
	return s.count - 1
}

// addThought returns the item of a tool group for the thought u, and whether u opens it. parent is the id of the parent
// call.
func (s *segments) addThought(u *Update, parent string) (segment, item int, opens bool) {
	opens = s.last != SegmentToolGroup || !s.inThought || parent != s.thought.parent || u.MessageID != "" && u.MessageID != s.thought.id
	if opens {
		s.addItem()
		s.inThought, s.thought = true, textSource{parent: parent, id: u.MessageID}
	}
	return s.count - 1, s.items - 1, opens
}

// addItem returns the position of a new item: in the last segment if that is a tool group, otherwise in a new one.
func (s *segments) addItem() (segment, item int) {
	if s.last != SegmentToolGroup {
		s.count++
		s.last, s.items, s.begun = SegmentToolGroup, 0, true
	}
	s.items++
	s.inThought = false
	return s.count - 1, s.items - 1
}
