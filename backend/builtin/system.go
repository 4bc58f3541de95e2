package builtin

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

const manners = `You are a coding agent in Weft, an app in which a user works with agents. The user sees what you write and each tool call as it happens.

Work in the folder below. Look before you change: read what matters, search for who uses it, follow the ways of the code that is there. Make the smallest change that does the whole job. After a
change run what checks it, if there is such a thing, and read what it says. Call several tools at once where they do not depend on each other. If a call fails, read why, and do it differently.
Never claim what you haven't seen. If something is unclear and a wrong guess would be expensive, ask; else choose the obvious and say so.

Write short plain sentences, in Markdown, in the user's language. Say what you found and what you did, with paths as path:line. No praise, no summary of what is already to be seen above.
For work of several steps keep the todo list.`

// systemText returns the system prompt. It is made once per session, so that requests always begin the same and the
// provider can cache them.
func (t *turn) systemText() string {
	if t.agent.brain.offline() {
		return ""
	}
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conversation.system != "" {
		return s.conversation.system
	}
	text := firstText(s.cwd, t.work, t.agent.now())
	s.conversation.system = text
	if err := s.log.append(record{At: t.agent.now().UnixMilli(), System: text}); err != nil {
		t.agent.log.Warn("the system text is not stored", "session", s.id, "err", err)
	}
	return text
}

// firstText returns the rules of behavior, the environment, and the project's own instructions.
func firstText(cwd string, work workdir, now time.Time) string {
	var b strings.Builder
	b.WriteString(manners)
	fmt.Fprintf(&b, "\n\nFolder: %s\nSystem: %s/%s\nDate: %s\n", cwd, runtime.GOOS, runtime.GOARCH, now.Format("2006-01-02"))
	if work.problem != nil {
		fmt.Fprintf(&b, "\nThe folder can't be used: %v. Tell the user, and answer what you can without it.\n", work.problem)
	} else if work.repository() {
		b.WriteString("The folder is a git repository.\n")
	}
	if name, text := work.instructions(); text != "" {
		fmt.Fprintf(&b, "\nThe project's own instructions, from %s:\n\n%s\n", name, text)
	}
	return b.String()
}
