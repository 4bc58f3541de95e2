package runs

import "weft/backend/transcript"

// retold is an update of a call with its patch changed. The update itself stays as it is: others read it, too.
func retold(u *transcript.Update, change func(p *transcript.ToolPatch)) *transcript.Update {
	told, p := *u, *u.Tool
	change(&p)
	told.Tool = &p
	return &told
}
