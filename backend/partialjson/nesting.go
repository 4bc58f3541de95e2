package partialjson

import (
	"fmt"
	"strings"
)

// maxName is the longest name, in bytes, that takes part in a path. Below a longer one nothing is told.
const maxName = 256

// nesting is which containers are open, and which place within them is read.
type nesting struct {
	stack  []byte // the open containers, '{' or '['
	levels [MaxPath]level
}

// level is the place within one open container.
type level struct {
	name  string
	index int
}

// depth returns how many containers are open.
func (n *nesting) depth() int { return len(n.stack) }

// isTop reports whether a value that begins or ends is that of a top-level field.
func (n *nesting) isTop() bool { return len(n.stack) == 1 && n.stack[0] == '{' }

// inObject reports whether the innermost container is an object. One must be open.
func (n *nesting) inObject() bool { return n.stack[len(n.stack)-1] == '{' }

// followed reports whether the place within the innermost container is kept.
func (n *nesting) followed() bool { return len(n.stack) <= MaxPath }

// push opens a container.
func (n *nesting) push(c byte) {
	n.stack = append(n.stack, c)
	if n.followed() {
		n.levels[len(n.stack)-1] = level{}
	}
}

// pop closes the innermost container.
func (n *nesting) pop() { n.stack = n.stack[:len(n.stack)-1] }

// nextItem goes to the next value of a list.
func (n *nesting) nextItem() {
	if n.followed() {
		n.levels[len(n.stack)-1].index++
	}
}

// named goes to a field of an object.
func (n *nesting) named(name string) {
	if n.followed() {
		n.levels[len(n.stack)-1].name = name
	}
}

// path is that of a string that begins now; ok is false where it is not told about.
func (n *nesting) path() (path string, ok bool) {
	if len(n.stack) == 0 || !n.followed() || n.stack[0] != '{' {
		return "", false
	}
	if len(n.stack) == 1 {
		return "", true
	}
	var b strings.Builder
	for i := 1; i < len(n.stack); i++ {
		l := n.levels[i]
		switch {
		case n.stack[i] == '[':
			fmt.Fprintf(&b, "/%d", l.index)
		case len(l.name) > maxName:
			return "", false
		default:
			b.WriteByte('/')
			b.WriteString(pointer.Replace(l.name))
		}
	}
	return b.String(), true
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")
