package requests

import (
	"testing"

	"weft/backend/conversation/transcript"
)

func TestRejectionIsNeverSentAsAnAllowingOption(t *testing.T) {
	t.Parallel()
	options := []transcript.PermissionOption{{ID: "a", Name: "Yes", Kind: "allow_once"}, {ID: "a", Name: "No", Kind: "reject_once"}, {ID: "b", Name: "Never", Kind: "reject_always"}}
	a := &Permission{Options: options}
	for i, want := range []string{"a", "", "b"} {
		r := transcript.Resolution{Outcome: "selected", OptionID: transcript.OptionID(options, i)}
		if got := a.Outcome(r).Outcome.OptionID; got != want {
			t.Errorf("%s is sent as %q, not %q", options[i].Name, got, want)
		}
	}
}
