package shell

import "slices"

// Command is one simple command of a command line.
type Command struct {
	// Words are the name and the arguments without quotes, as far as they are known before the command runs. Fixed
	// reports for each word whether it is known.
	Words []string
	Fixed []bool
	// Wrapped reports that another program on the line (sudo, xargs, …) starts the command. Only reject rules apply to
	// it.
	Wrapped bool

	Dir    string // working directory, relative to the folder
	Use    *Use   // known form, or nil
	Opaque bool   // it contains code that Weft doesn't read
	// Unsettled reports that other commands of the line may change what this one does, so no rule about commands
	// covers it.
	Unsettled bool

	globs       []bool // words that the shell expands to file names
	patterns    []bool // globs that are simple patterns
	conditional bool   // it may not run, or may run in parallel with others of the line
	written     int    // number of files that the line writes before it
	hasInput    bool   // the line pipes or redirects something into its input
	input       string // input that is given on the line
}

// from returns the command that begins at word i.
func (c *Command) from(i int) Command {
	out := Command{Words: c.Words[i:], Fixed: c.Fixed[i:], hasInput: c.hasInput, input: c.input}
	if i < len(c.patterns) {
		out.globs, out.patterns = c.globs[i:], c.patterns[i:]
	}
	return out
}

// AllFixed reports whether every word is known before the command runs.
func (c *Command) AllFixed() bool { return !slices.Contains(c.Fixed, false) }

// Exact reports whether the words fully determine what the command does, so that a rule with the same words covers it.
func (c *Command) Exact() bool { return !c.hasInput && c.AllFixed() }

// Begins reports whether the command begins with words, and these are known before it runs.
func (c *Command) Begins(words []string) bool {
	return len(c.Words) >= len(words) && slices.Equal(c.Words[:len(words)], words) && !slices.Contains(c.Fixed[:len(words)], false)
}

// Idle reports whether the command has no effect of its own and reads only what the line passes to it.
func (c *Command) Idle() bool { return c.Use != nil && !c.Unsettled && c.Use.idle() }
