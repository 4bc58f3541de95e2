package turn

import (
	"testing"
	"time"
)

func TestSignOfLifeFollowsEachPromptOnce(t *testing.T) {
	t.Parallel()
	var p Pulse
	if p.Beat() != nil {
		t.Error("a sign of life without a prompt has a consequence")
	}
	released := ""
	first := p.Expect(func() { released += "1" })
	if !first() {
		t.Error("the first prompt has had a sign of life")
	}
	p.Beat()()
	if first() || p.Beat() != nil {
		t.Error("the sign of life of the first prompt is still missing")
	}
	second := p.Expect(func() { released += "2" })
	if first() || !second() {
		t.Error("the second prompt has had a sign of life")
	}
	if p.Beat()(); released != "12" {
		t.Errorf("released were %s", released)
	}
}

func TestSilenceNamesTheAgentAndTheTime(t *testing.T) {
	t.Parallel()
	if got, want := Silence("Ann", time.Minute).String(), "Ann has shown nothing for 60 s since the prompt. It may still be working. If not, stop it and try again; the protocol log shows what was sent."; got != want {
		t.Errorf("%q", got)
	}
}
