package permission

import "weft/backend/transcript"

// Option finds the agent's answer that says what a decision says, -1 where it offers none. Weft keeps
// the rules itself, so an "always" of the agent is never chosen to allow. An agent without a
// way to reject is told that nobody answers ("cancelled").
func Option(options []transcript.PermissionOption, effect Effect) int {
	want := []string{"allow_once"}
	if effect == Reject {
		want = []string{"reject_once", "reject_always"}
	}
	for _, kind := range want {
		for i, o := range options {
			if o.Kind == kind && !Ambiguous(options, i) {
				return i
			}
		}
	}
	return -1
}

// Ambiguous reports whether another answer with another meaning has the same id: what the agent would
// understand is then not known.
func Ambiguous(options []transcript.PermissionOption, i int) bool {
	for _, o := range options {
		if o.ID == options[i].ID && o.Kind != options[i].Kind {
			return true
		}
	}
	return false
}
