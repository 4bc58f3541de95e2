package shell

import "slices"

// Command is one simple command of a command line.
type Command struct {
	// Words are its name and arguments with the quotes removed, as far as they are known before
	// it runs. Fixed tells which those are.
	Words []string
	Fixed []bool
	// Wrapped tells that a program before it on the line starts it (sudo, xargs …): only a reject
	// rule looks at it.
	Wrapped bool

	Dir    string // in which it runs, from the folder
	Use    *Use   // the known form that it has, nil for none
	Opaque bool   // it holds code of its own, which nobody reads
	// Unsettled tells that other commands of the line may change what it does, so that no rule about commands covers it.
	Unsettled bool

	globs    []bool // words of which the shell makes names of files
	patterns []bool // those of them that are simple patterns
	loose    bool   // it may run or not, or beside the others of the line
	written  int    // how many files the line writes up to it
	fed      bool   // something on the line writes its input
	input    string // text on the line that is its input
}

// from returns the command that begins at one of the words.
func (c *Command) from(i int) Command {
	out := Command{Words: c.Words[i:], Fixed: c.Fixed[i:], fed: c.fed, input: c.input}
	if i < len(c.patterns) {
		out.globs, out.patterns = c.globs[i:], c.patterns[i:]
	}
	return out
}

// AllFixed reports whether every word is known before it runs.
func (c *Command) AllFixed() bool { return !slices.Contains(c.Fixed, false) }

// Exact reports whether its words say all of what it would do, so that a rule with the same words covers it.
func (c *Command) Exact() bool { return !c.fed && c.AllFixed() }

// Begins reports whether a command begins with words, and these are known before it runs.
func (c *Command) Begins(words []string) bool {
	return len(c.Words) >= len(words) && slices.Equal(c.Words[:len(words)], words) && !slices.Contains(c.Fixed[:len(words)], false)
}

// Idle reports whether a command has no effect of its own, and reads nothing but what the line gives it.
func (c *Command) Idle() bool { return c.Use != nil && !c.Unsettled && c.Use.idle() }
