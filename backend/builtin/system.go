package builtin

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// maxInstructions bounds what is taken of a project's own instructions, in bytes.
const maxInstructions = 32 << 10

// instructionFiles are where projects keep instructions for agents; the first that is there is taken.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"}

const manners = `You are a coding agent in Weft, an app in which a user works with agents. The user sees what you write and each tool call as it happens.

Work in the folder below. Look before you change: read what matters, search for who uses it, follow the ways of the code that is there. Make the smallest change that does the whole job. After a
change run what checks it, if there is such a thing, and read what it says. Call several tools at once where they do not depend on each other. If a call fails, read why, and do it differently.
Never claim what you haven't seen. If something is unclear and a wrong guess would be expensive, ask; else choose the obvious and say so.

Write short plain sentences, in Markdown, in the user's language. Say what you found and what you did, with paths as path:line. No praise, no summary of what is already to be seen above.
For work of several steps keep the todo list.`

// systemText is what the model is told before the conversation. It is made once in a session, so that what is sent
// always begins the same and a provider can keep it.
func (t *turn) systemText() string {
	if t.agent.brain.offline() {
		return ""
	}
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.system != "" {
		return s.system
	}
	var b strings.Builder
	b.WriteString(manners)
	fmt.Fprintf(&b, "\n\nFolder: %s\nSystem: %s/%s\nDate: %s\n", s.cwd, runtime.GOOS, runtime.GOARCH, t.agent.now().Format("2006-01-02"))
	if t.problem != nil {
		fmt.Fprintf(&b, "\nThe folder can't be used: %v. Tell the user, and answer what you can without it.\n", t.problem)
	} else if _, err := os.Stat(t.folder.Abs(".git")); err == nil {
		b.WriteString("The folder is a git repository.\n")
	}
	if name, text := t.instructions(); text != "" {
		fmt.Fprintf(&b, "\nThe project's own instructions, from %s:\n\n%s\n", name, text)
	}
	s.system = b.String()
	if err := s.log.append(record{At: t.agent.now().UnixMilli(), System: s.system}); err != nil {
		t.agent.log.Warn("the system text is not stored", "session", s.id, "err", err)
	}
	return s.system
}

func (t *turn) instructions() (name, text string) {
	if t.folder == nil {
		return "", ""
	}
	for _, name := range instructionFiles {
		if text, err := t.folder.ReadAll(name, maxInstructions); err == nil && strings.TrimSpace(text) != "" {
			return name, text
		}
	}
	return "", ""
}
