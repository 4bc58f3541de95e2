package turn

import (
	"testing"

	"weft/backend/conversation/transcript"
)

func TestProgressSaysWhatWasSeenLastAndSinceWhenNothingCame(t *testing.T) {
	t.Parallel()
	var p Progress
	p.Take(&transcript.Update{Kind: transcript.UpdateText, Text: "a"}, 10)
	p.Take(&transcript.Update{Kind: transcript.UpdateState, Key: transcript.StateCommands}, 20)
	if want := (Progress{Worked: 10, Seen: SeenCommands, SeenAt: 20}); p != want {
		t.Errorf("after commands it is %+v", p)
	}
	p.Take(&transcript.Update{Kind: transcript.UpdateNothing}, 30)
	if want := (Progress{Worked: 10, Seen: SeenDescription, SeenAt: 30}); p != want {
		t.Errorf("after a date it is %+v", p)
	}
	p.TakeRequest(40)
	if want := (Progress{Worked: 40, Seen: SeenRequest, SeenAt: 40}); p != want {
		t.Errorf("after a request it is %+v", p)
	}
}
