package permission

import "weft/backend/conversation/transcript"

// Option returns the index of the agent's option that matches an effect, or -1 if there is none. Weft keeps the rules
// itself, so it never chooses an "always" option to allow. An agent without a reject option gets the answer
// "cancelled".
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

// Ambiguous reports whether another option has the same id and a different kind. The agent might then understand the
// answer differently.
func Ambiguous(options []transcript.PermissionOption, i int) bool {
	for _, o := range options {
		if o.ID == options[i].ID && o.Kind != options[i].Kind {
			return true
		}
	}
	return false
}
