package sessionoptions

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/sessionservers"
)

var seedFlag = flag.Uint64("seed", 1, "of the random sessions")

func TestTrustedModes(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"acceptEdits": "edit", "auto_edit": "edit", "autoEdit": "edit", "auto-edit": "edit", "yolo": "all", "YOLO": "all", "bypassPermissions": "all", "full-access": "all",
		"https://agentclientprotocol.com/protocol/session-modes#autopilot": "all", "default": "", "plan": "", "ask": "", "read-only": "", "dontAsk": "", "build": "", "": "",
	} {
		if got := trusted[modeKey(id)]; got != want {
			t.Errorf("%s is trusted with %q, want %q", id, got, want)
		}
	}
	if raw, err := json.Marshal(Offered{}); err != nil || strings.Contains(string(raw), "pickedMode") {
		t.Errorf("%s, %v", raw, err)
	}
}

// modes returns what an agent says of a session with modes.
func modes(current string, ids ...string) acp.SessionResult {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf(`{"id":%q,"name":"Mode %s"}`, id, id)
	}
	return acp.SessionResult{Modes: jsontext.Value(fmt.Sprintf(`{"currentModeId":%q,"availableModes":[%s]}`, current, strings.Join(list, ",")))}
}

func quoted(s string) jsontext.Value { return jsontext.Value(fmt.Sprintf("%q", s)) }

func TestModeIsTrustedOnlyIfTheUserChoseIt(t *testing.T) {
	t.Parallel()
	var o Options
	o.Opened(modes("yolo", "ask", "autoEdit", "yolo"))
	check := func(when, edit, execute string) {
		t.Helper()
		if e, x := o.Trusts("edit"), o.Trusts("execute"); e != edit || x != execute {
			t.Errorf("%s: %q and %q, want %q and %q", when, e, x, edit, execute)
		}
	}
	check("the agent's own mode", "", "")
	undo := o.Choose("mode", quoted("yolo"))
	check("chosen", "Mode yolo", "Mode yolo")
	if o.Trusts("read") != "" {
		t.Error("a mode is trusted with what it isn't about")
	}
	undo()
	check("taken back", "", "")
	o.Choose("mode", quoted("autoEdit"))
	check("chosen, and not in force", "", "")
	o.SetMode(quoted("autoEdit"))
	check("in force", "Mode autoEdit", "")
	o.SetMode(quoted("yolo"))
	check("changed by the agent", "", "")
	o.TrustEdits()
	check("an edit was answered with always", "always", "")
	o.Closed()
	check("the session was closed", "", "")
}

// What the agent and the session are not known to say yet stays as it was told last.
func TestOfferKeepsWhatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	o, ok := Stored([]byte(`{"agentId":"robin","options":[{"id":"model","name":"Model","category":"model","type":"select","current":"large","via":"config"}],"can":{"image":true},"servers":[{"name":"files"}]}`), "robin")
	if !ok {
		t.Fatal("what was stored is not read")
	}
	was := o.stored
	if _, ok := Stored(was, "wren"); ok {
		t.Error("the options of another agent are taken over")
	}
	read := func(about Offered, initialized bool) (Offered, News) {
		t.Helper()
		news, err := o.Offer(about, initialized)
		if err != nil {
			t.Fatal(err)
		}
		var told Offered
		if err := json.Unmarshal(o.stored, &told); err != nil {
			t.Fatal(err)
		}
		return told, news
	}
	about := Offered{AgentID: "robin", Can: Can{Audio: true}, Servers: []sessionservers.Handed{{Name: "other"}}, SignIn: true}
	if told, news := read(about, false); !told.SignIn || !told.Can.Image || told.Can.Audio || told.Servers[0].Name != "files" || len(told.Options) != 1 || *news.Model != "large" || news.State == nil {
		t.Errorf("before the agent said anything: %+v, %+v", told, news)
	}
	if told, _ := read(about, true); told.Can.Image || !told.Can.Audio || told.Servers[0].Name != "other" || len(told.Options) != 1 {
		t.Errorf("before the session is open: %+v", told)
	}
	if _, news := read(about, true); news.State != nil {
		t.Errorf("the same is told again: %s", news.State)
	}
	o.Opened(modes("ask", "ask", "code"))
	o.Choose("mode", quoted("code"))
	o.Settle()
	if told, news := read(about, true); len(told.Options) != 1 || told.Options[0].ID != "mode" || told.PickedMode != "code" || news.Model != nil {
		t.Errorf("once it is open: %+v", told)
	}
	again, ok := Stored(o.stored, "robin")
	if !ok || string(again.chosen["mode"]) != `"code"` || string(again.wanted["mode"]) != `"ask"` {
		t.Errorf("read again: %+v", again)
	}
}

// agent is one that has options, some of which take away or change others, and that refuses some values.
type agent struct {
	rnd    *rand.Rand
	values map[string]string
	hidden map[string]bool
}

func (a *agent) list() jsontext.Value {
	var out []string
	for _, id := range []string{"a", "b", "c", "d"} {
		if !a.hidden[id] {
			out = append(out, fmt.Sprintf(`{"id":%q,"type":"select","currentValue":%q,"options":[{"value":"1"},{"value":"2"},{"value":"3"}]}`, id, a.values[id]))
		}
	}
	return jsontext.Value("[" + strings.Join(out, ",") + "]")
}

// set sets an option, if the agent wants to, and returns what it says then.
func (a *agent) set(option acp.Option, value jsontext.Value) (list jsontext.Value, ok bool) {
	if a.rnd.IntN(5) == 0 {
		return nil, false
	}
	v, _ := text(value)
	a.values[option.ID] = v
	if a.rnd.IntN(3) == 0 {
		return nil, true // it doesn't say
	}
	if a.rnd.IntN(3) == 0 {
		other := []string{"a", "b", "c", "d"}[a.rnd.IntN(4)]
		if a.hidden[other] = !a.hidden[other]; !a.hidden[other] {
			a.values[other] = []string{"1", "2", "3"}[a.rnd.IntN(3)]
		}
	}
	return a.list(), true
}

// Whatever an agent does with its options, each is set back at most once and to a value that is offered. What is in force then is kept, and what
// was wanted stays wanted if the session is given up on the way.
func TestOptionsAreRestored(t *testing.T) {
	t.Parallel()
	restored, kept := 0, 0
	for n := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(*seedFlag, n))
		value := func() string { return []string{"1", "2", "3", "gone"}[rnd.IntN(4)] }
		wanted := Values{"a": quoted(value()), "b": quoted(value()), "c": quoted(value()), "removed": quoted("1")}
		o := New(maps.Clone(wanted))
		for range 1 + rnd.IntN(3) {
			before := maps.Clone(o.wanted)
			a := &agent{rnd: rnd, values: map[string]string{"a": "1", "b": "2", "c": "3", "d": "1"}, hidden: map[string]bool{"b": rnd.IntN(3) == 0}}
			o.Opened(acp.SessionResult{ConfigOptions: a.list()})
			tried, givenUp := map[string]bool{}, false
			for range 100 {
				was := len(tried)
				option, to := o.NextToRestore(tried)
				if option == nil {
					break
				}
				if len(tried) != was+1 || !tried[option.ID] || !option.Offers(to) || option.Is(to) || string(before[option.ID]) != string(to) {
					t.Fatalf("seed %d, case %d: %s is set to %s after %v, wanted %v", *seedFlag, n, option.ID, to, tried, before)
				}
				restored++
				if givenUp = rnd.IntN(8) == 0; givenUp {
					break
				}
				if list, ok := a.set(*option, to); ok {
					o.Set(*option, to, list)
				}
			}
			if !givenUp {
				o.Settle()
			}
			if _, err := o.Offer(Offered{AgentID: "robin"}, true); err != nil {
				t.Fatal(err)
			}
			want := before
			if givenUp {
				kept++
			} else {
				want = current(o.offer.List())
			}
			if fmt.Sprint(o.wanted) != fmt.Sprint(want) {
				t.Fatalf("seed %d, case %d: %v must be restored, want %v (given up: %t)", *seedFlag, n, o.wanted, want, givenUp)
			}
			o.Closed()
			if stored, ok := Stored(o.stored, "robin"); ok && !givenUp && fmt.Sprint(stored.wanted) != fmt.Sprint(want) {
				t.Fatalf("seed %d, case %d: %v is restored after a restart, want %v", *seedFlag, n, stored.wanted, want)
			}
		}
	}
	if restored < 1000 || kept < 100 {
		t.Errorf("only %d options were restored, %d sessions given up", restored, kept)
	}
}
