package prelude

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Briefing describes a member and the other members of a space for the member; "" for one that is alone, has no role,
// and whose text is shown directly.
func Briefing(spaceID string, members []Member, me Member) string {
	if len(members) < 2 && me.Role == "" && !me.ByTool {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "You are called %s in this space (its id is %q).", line(me.Name), spaceID)
	if len(members) > 1 {
		b.WriteString(" Others are here besides the user:\n")
		for _, o := range members {
			if o.ID != me.ID {
				fmt.Fprintf(&b, "- %s", line(o.Name))
				if role := line(o.Role); role != "" {
					fmt.Fprintf(&b, ": %s", role)
				}
				b.WriteString("\n")
			}
		}
		b.WriteString("Each answers what it is asked. To ask one of them, call the tool sendSpaceMessage with spaceId, text and its name as mention; with wait its reply is the result. Ask only where you need it: the user reads all of this.\n")
	} else {
		b.WriteString("\n")
	}
	if me.ByTool {
		b.WriteString("What you write is your own reasoning, which no one reads. Only what you send with the tool sendSpaceMessage is said in this space, your answers to the user too.\n")
	}
	if me.Role != "" {
		fmt.Fprintf(&b, "Your role here: %s\n", defused(strings.TrimSpace(me.Role)))
	}
	return b.String() + "\n"
}

// Again returns the briefing to send and the mark to store; mark is the stored one, "" for none. text is empty if the
// member already knows the briefing, now if there is nothing to store. isNew means that the session is new, so it
// knows no briefing.
func Again(briefing, mark string, isNew bool) (text, now string) {
	sum := sha256.Sum256([]byte(briefing))
	now = hex.EncodeToString(sum[:8])
	switch {
	case briefing == "" && mark == "":
		return "", "" // the usual case
	case mark == now && !isNew:
		return "", ""
	case briefing == "" && !isNew:
		return "You are the only agent in this space now, and no longer have a particular role.\n", now
	}
	return briefing, now
}
