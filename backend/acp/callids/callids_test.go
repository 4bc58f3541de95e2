package callids

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
)

// session is an agent's session whose calls are folded.
type session struct {
	box   transcript.Outbox
	turns *transcript.Turns
	ids   *IDs
	asked int
	now   int64
}

func newSession() *session {
	s := &session{}
	n := 0
	s.turns = transcript.NewTurns(&s.box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent"}, func() string {
		n++
		return "m" + strconv.Itoa(n)
	})
	s.ids = New(s.turns)
	return s
}

// report handles a report of the agent and returns the id of its call.
func (s *session) report(p *transcript.ToolPatch) string {
	s.now++
	u := s.ids.Report(&transcript.Update{Kind: transcript.UpdateTool, Tool: p})
	s.turns.Update(u, s.now)
	return u.Tool.ID
}

// ask handles a permission request, which the user answers with the option.
func (s *session) ask(p *transcript.ToolPatch, option string) string {
	s.now++
	s.asked++
	request := strconv.Itoa(s.asked)
	asked := *s.ids.Request(p)
	asked.Announced = true // as the code that shows it does
	s.turns.AskPermission(&asked, request, []transcript.PermissionOption{{ID: "yes", Kind: "allow_once"}, {ID: "no", Kind: "reject_once"}}, nil, s.now)
	s.turns.ResolvePermission(request, transcript.Resolution{Outcome: "selected", OptionID: option}, s.now)
	return asked.ID
}

// act is one call of the agent, from its first report to late ones.
type act struct {
	sent    string
	title   string
	input   jsontext.Value
	ids     map[string]bool
	ended   bool
	refused bool
}

func (a *act) patch(announced bool, status transcript.Status, whole bool) *transcript.ToolPatch {
	p := &transcript.ToolPatch{ID: a.sent, Announced: announced}
	if status != "" {
		p.Status = &status
	}
	if whole {
		kind := "execute"
		p.Title, p.Kind, p.Input = &a.title, &kind, a.input
	}
	return p
}

// TestEachActHasAnIDOfItsOwn plays random turns of an agent that reuses a few ids: all reports of an act have one id,
// and no two acts of a run share one, whatever the agent repeats, omits, asks for or reports late.
func TestEachActHasAnIDOfItsOwn(t *testing.T) {
	seed := uint64(time.Now().UnixNano()) % (1 << 53)
	for i := range uint64(raced.Of(2000)) {
		r := rand.New(rand.NewPCG(seed, i))
		s := newSession()
		acts := 0
		for run := range 3 {
			s.turns.Begin("run"+strconv.Itoa(run), "")
			last := map[string]*act{}
			var all []*act
			for range 20 {
				sent := []string{"call_0", "call_1", "call_0~2", "call_0~2~2"}[r.IntN(4)]
				a := last[sent]
				note := func(id string) { a.ids[id] = true }
				switch {
				case a == nil || a.ended && r.IntN(2) == 0:
					acts++
					a = &act{sent: sent, title: "Run " + strconv.Itoa(acts), input: jsontext.Value(fmt.Sprintf(`{"command":"c%d","n":%d}`, acts, acts)), ids: map[string]bool{}}
					last[sent] = a
					all = append(all, a)
					switch r.IntN(3) {
					case 0:
						note(s.report(a.patch(true, transcript.StatusPending, true)))
					case 1:
						note(s.report(a.patch(true, transcript.StatusRunning, true)))
					default: // shown by its request alone
						a.refused = r.IntN(2) == 0
						note(s.ask(a.patch(false, "", true), map[bool]string{true: "no", false: "yes"}[a.refused]))
						a.ended = a.refused
					}
				case a.ended:
					switch r.IntN(3) {
					case 0:
						note(s.report(a.patch(true, transcript.StatusPending, true)))
						note(s.report(a.patch(false, transcript.StatusCompleted, false)))
					case 1:
						note(s.report(a.patch(true, transcript.StatusCompleted, true)))
					default:
						note(s.report(a.patch(false, "", r.IntN(2) == 0)))
					}
				default:
					switch r.IntN(4) {
					case 0:
						note(s.report(a.patch(false, transcript.StatusRunning, r.IntN(2) == 0)))
					case 1:
						note(s.report(a.patch(true, transcript.StatusPending, true)))
					default:
						note(s.report(a.patch(false, []transcript.Status{transcript.StatusCompleted, transcript.StatusFailed}[r.IntN(2)], r.IntN(2) == 0)))
						a.ended = true
					}
				}
			}
			used := map[string]bool{}
			for _, a := range all {
				if len(a.ids) != 1 {
					t.Fatalf("seed %d, case %d: one call of %s has the ids %v", seed, i, a.sent, a.ids)
				}
				for id := range a.ids {
					if used[id] || Sent(id) != a.sent && !strings.HasPrefix(id, a.sent) {
						t.Fatalf("seed %d, case %d: %s of %s is used twice", seed, i, id, a.sent)
					}
					used[id] = true
				}
			}
			s.turns.Current().End("end_turn", nil, s.now)
		}
	}
}

func TestLateReportOfAnEarlierRunKeepsItsID(t *testing.T) {
	s := newSession()
	s.turns.Begin("r1", "")
	one, two := &act{sent: "c", title: "One"}, &act{sent: "c", title: "Two"}
	for _, a := range []*act{one, two} {
		s.report(a.patch(true, transcript.StatusPending, true))
		s.report(a.patch(false, transcript.StatusCompleted, false))
	}
	s.turns.Current().End("end_turn", nil, s.now)
	s.turns.Begin("r2", "")
	if got := s.report(two.patch(false, "", true)); got != "c~2" {
		t.Errorf("it is about %s", got)
	}
	chunk := s.ids.Report(&transcript.Update{Kind: transcript.UpdateText, Text: "x", ParentToolCallID: "c"})
	if chunk.ParentToolCallID != "c~2" {
		t.Errorf("a text below it is below %s", chunk.ParentToolCallID)
	}
	if got := s.report(one.patch(true, transcript.StatusPending, true)); got != "c" {
		t.Errorf("a call of the next run is %s", got)
	}
	parent := "c"
	if u := s.ids.Report(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: "n", Announced: true, ParentID: &parent}}); *u.Tool.ParentID != "c" {
		t.Errorf("a call below it is below %s", *u.Tool.ParentID)
	}
}

func TestIDOfTheAgentsIsNeverOneThatWeftHasGiven(t *testing.T) {
	s := newSession()
	s.turns.Begin("r1", "")
	one, two, own := &act{sent: "c", title: "One"}, &act{sent: "c", title: "Two"}, &act{sent: "c~2", title: "Own"}
	s.report(one.patch(true, transcript.StatusCompleted, true))
	isAssigned := s.report(two.patch(true, transcript.StatusRunning, true))
	chunk := s.ids.Report(&transcript.Update{Kind: transcript.UpdateText, Text: "x", ParentToolCallID: own.sent})
	if chunk.ParentToolCallID != "" {
		t.Errorf("a text below a call that isn't there is below %q", chunk.ParentToolCallID)
	}
	asked := s.ask(own.patch(false, "", false), "no")
	if asked == isAssigned {
		t.Errorf("a request for %s is for the call of %s", own.sent, two.sent)
	}
	if got := s.report(own.patch(false, transcript.StatusFailed, false)); got != asked {
		t.Errorf("its end is of %s, not of %s", got, asked)
	}
	s.turns.Current().End("end_turn", nil, s.now)
	s.turns.Begin("r2", "")
	if got := s.report(own.patch(true, transcript.StatusRunning, true)); got == isAssigned {
		t.Errorf("in the next run it is %s", got)
	}
}

func TestReplayedTurnsUseTheirIDsAgain(t *testing.T) {
	s := newSession()
	s.turns.Replay()
	for range 3 {
		u := s.ids.Report(&transcript.Update{Kind: transcript.UpdateUser, Text: "Go"})
		s.turns.Update(u, s.now)
		a := &act{sent: "c", title: "One"}
		first := s.report(a.patch(true, transcript.StatusCompleted, true))
		a.title = "Two"
		if second := s.report(a.patch(true, transcript.StatusCompleted, true)); first != "c" || second != "c~2" {
			t.Errorf("got %s and %s", first, second)
		}
	}
}

func TestSentIsTheAgentsOwnID(t *testing.T) {
	for id, want := range map[string]string{"c": "c", "c~2": "c", "c~2~3": "c~2", "c~1": "c~1", "c~x": "c~x", "~2": "~2", "": "", "c~": "c~"} {
		if got := Sent(id); got != want {
			t.Errorf("%q was sent as %q", id, got)
		}
	}
}
