package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// briefing tells a member who it is in its space, where there is something to tell: in a new session, and again when that has changed. It
// blocks for a read, and for a commit where it is told.
func (s *Session) briefing(ctx context.Context, space *Space, me Member, first bool) (string, error) {
	text := briefing(space, me)
	sum := sha256.Sum256([]byte(text))
	key, hash := "briefed:"+space.ID+"@"+me.ID, hex.EncodeToString(sum[:8])
	was, _, err := s.m.opt.Store.GetMeta(ctx, key)
	switch {
	case err != nil:
		return "", err
	case text == "" && was == "":
		return "", nil // the usual space
	case was == hash && !first:
		return "", nil
	}
	if err := s.m.opt.Store.SetMeta(ctx, key, hash); err != nil {
		return "", err
	}
	if text == "" {
		text = "You are the only agent in this space now, and have no particular role any more.\n"
		if first {
			text = ""
		}
	}
	return text, nil
}

// briefing is what a member is told of itself and of the others; "" for one that is alone, has no role and speaks as it writes.
func briefing(space *Space, me Member) string {
	if len(space.Members) < 2 && me.Role == "" && !me.ByTool {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "You are called %s in this space (its id is %q).", line(me.Name), space.ID)
	if len(space.Members) > 1 {
		b.WriteString(" Others are here besides the person:\n")
		for _, o := range space.Members {
			if o.ID != me.ID {
				fmt.Fprintf(&b, "- %s", line(o.Name))
				if role := line(o.Role); role != "" {
					fmt.Fprintf(&b, ": %s", role)
				}
				b.WriteString("\n")
			}
		}
		b.WriteString("Each answers what it is asked. To ask one of them, call the tool sendSpaceMessage with spaceId, text and its name as mention; with wait its reply is the result. Ask only where you need it: the person reads all of this.\n")
	} else {
		b.WriteString("\n")
	}
	if me.ByTool {
		b.WriteString("What you write is your own reasoning, which nobody reads. Only what you send with the tool sendSpaceMessage is said in this space, your answers to the person too.\n")
	}
	if me.Role != "" {
		fmt.Fprintf(&b, "Your role here: %s\n", defused(strings.TrimSpace(me.Role)))
	}
	return b.String() + "\n"
}
