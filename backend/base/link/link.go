// Package link reads and writes links to places in conversations: weft://space/SPACE, weft://space/SPACE#MESSAGE,
// weft://space/SPACE#MESSAGE.SEGMENT and weft://space/SPACE#MESSAGE.SEGMENT.ITEM.
//
// The form is permanent: links are kept in files and in the answers of agents.
package link

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/backend/base/fault"
)

// Scheme is the scheme of all links, as the desktop knows it.
const Scheme = "weft"

// prefix is what all links begin with.
const prefix = Scheme + "://space/"

const (
	maxLink  = 2 << 10   // bytes of a link
	maxID    = 256       // bytes of an id
	maxIndex = 1<<31 - 1 // of a segment or an item
)

// Place is a place in a conversation. The JSON names are those of the API.
type Place struct {
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"` // "" for the whole space
	Segment   int    `json:"segment"`   // -1 for the whole message
	Item      int    `json:"item"`      // of a tool group; -1 for the whole segment
}

// Space returns the place of a whole space.
func Space(id string) Place { return Place{SpaceID: id, Segment: -1, Item: -1} }

// Message returns the place of a whole message.
func Message(spaceID, messageID string) Place {
	return Place{SpaceID: spaceID, MessageID: messageID, Segment: -1, Item: -1}
}

// String returns the link to the place. What makes no sense without what is missing before it is left out: an item
// without a segment, a segment without a message.
func (p Place) String() string {
	s := prefix + escape(p.SpaceID)
	if p.MessageID == "" {
		return s
	}
	s += "#" + escape(p.MessageID)
	if p.Segment < 0 {
		return s
	}
	s += "." + strconv.Itoa(p.Segment)
	if p.Item < 0 {
		return s
	}
	return s + "." + strconv.Itoa(p.Item)
}

// Fragment returns the end of the address at which a page of Weft shows the place: #/space/SPACE/MESSAGE.SEGMENT.ITEM.
func (p Place) Fragment() string {
	return "#/space/" + strings.Replace(strings.TrimPrefix(p.String(), prefix), "#", "/", 1)
}

// Is reports whether text looks like a link of Weft, correct or not. It decides who reads a link, Weft or the desktop.
func Is(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) > len(Scheme) && strings.EqualFold(text[:len(Scheme)], Scheme) && text[len(Scheme)] == ':'
}

// Parse reads a link. Spaces around it and a slash behind the space's id, which some desktops add, are ignored. The
// error is a *[fault.Error] that says what is wrong.
func Parse(text string) (Place, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Place{}, bad("The link is empty. Enter a link like weft://space/….")
	case !Is(text):
		return Place{}, bad("This isn't a Weft link. Weft links begin with weft://space/.")
	case len(text) > maxLink:
		return Place{}, bad("The link is too long for a Weft link. Copy it again from the message or the tool call.")
	case len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix):
		return Place{}, bad("This Weft link doesn't lead to a conversation. Links to conversations begin with weft://space/.")
	}
	id, at, deep := strings.Cut(text[len(prefix):], "#")
	space, ok := unescape(strings.TrimSuffix(id, "/"))
	if !ok {
		return Place{}, bad("The link has no valid conversation ID. Copy it again from Weft.")
	}
	p := Space(space)
	if !deep || at == "" {
		return p, nil
	}
	parts := strings.Split(at, ".")
	if p.MessageID, ok = unescape(parts[0]); !ok || len(parts) > 3 {
		return Place{}, bad("The part of the link after # is invalid. Copy the link again from the message or the tool call.")
	}
	for i, into := range []*int{&p.Segment, &p.Item} {
		if len(parts) <= i+1 {
			break
		}
		if *into, ok = index(parts[i+1]); !ok {
			return Place{}, bad("The numbers at the end of the link are invalid. Copy the link again from the message or the tool call.")
		}
	}
	return p, nil
}

// index reads the index of a segment or an item: digits, without signs and leading zeros, so that a place has one link.
func index(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	return int(n), err == nil && n <= maxIndex && strconv.FormatUint(n, 10) == text
}

const hex = "0123456789ABCDEF"

// escape writes an id, percent-encoded except for letters and digits of ASCII, "_", "-" and "~". A "." parts the id of
// a message from the index of a segment, so it is encoded too.
func escape(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if plain(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '~'
}

// unescape reads an id. It is wrong if it is empty, is not UTF-8, has control characters, or characters that must be
// encoded.
func unescape(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case plain(c):
			b.WriteByte(c)
		case c == '%' && i+2 < len(text):
			hi, lo := digit(text[i+1]), digit(text[i+2])
			if hi < 0 || lo < 0 {
				return "", false
			}
			c = byte(hi<<4 | lo)
			if c < ' ' || c == 0x7f {
				return "", false
			}
			b.WriteByte(c)
			i += 2
		default:
			return "", false
		}
	}
	id := b.String()
	return id, id != "" && len(id) <= maxID && utf8.ValidString(id)
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func bad(template fault.Template) error { return fault.New(fault.Invalid, template) }
