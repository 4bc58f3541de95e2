//go:build linux

package systemtest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/displays"
	"weft/backend/conversation/transcript"
)

// productCard is the definition of the shop example, as it was written for another program.
const productCard = `{
  "name": "showProductCard",
  "inputSchema": { "properties": { "name": { "type": "string" }, "price": { "type": "number" } } },
  "displayTool": true,
  "executionType": "client",
  "execution": { "mode": "no-execution" },
  "wait": "none",
  "render": { "as": "card", "title": "{{name}} — {{price | money}}", "actions": [{ "id": "select", "label": "Select" }] },
  "category": "shop"
}`

func product(name string, price int, space string) wish {
	return wish{Tool: "showProductCard", Args: map[string]any{"name": name, "price": price, "targetSpaceId": space}}
}

// card is the display of that title, as soon as it is complete.
func (r *room) card(t testing.TB, title string) (transcript.Message, transcript.ToolCall) {
	t.Helper()
	return r.display(t, title, func(_ *transcript.Message, c *transcript.ToolCall) bool {
		return c.Title == title && c.Status == transcript.StatusCompleted
	})
}

func outputOf(t testing.TB, c *transcript.ToolCall) (out displays.Output) {
	t.Helper()
	if err := json.Unmarshal(c.Output, &out); err != nil {
		t.Fatalf("%s: %v", c.Output, err)
	}
	return out
}

func TestCardsAreShownNowAndAnsweredLater(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{"showProductCard.json": productCard})
	a := launch(t, home)
	r := a.scripted(t, "caller")
	r.turn(t, wishes(
		wish{Say: "Look: "}, product("MacBook Pro", 1299, r.id), product("ThinkPad X1", 1149, r.id), wish{Say: "Which one?"},
	), "end_turn")
	if text := r.agentText(); strings.Count(text, `{"state":"shown"`) != 2 || !strings.HasSuffix(text, "Which one?") {
		t.Errorf("the agent heard %s", text)
	}
	var list []spaces.Space
	a.do(t, "ListSpaces", spaces.ListSpacesRequest{}, &list)
	for _, s := range list {
		if len(s.Waits) > 0 {
			t.Errorf("%+v waits in a space", s.Waits)
		}
	}
	m, second := r.card(t, "ThinkPad X1 — $1,149")
	_, first := r.card(t, "MacBook Pro — $1,299")
	if out := outputOf(t, &second); out.State != "shown" || out.Wait != "none" {
		t.Errorf("%s", second.Output)
	}
	var drawn displays.Drawn
	if err := json.Unmarshal(second.Drawn, &drawn); err != nil || !strings.Contains(string(drawn.Render), `"Select"`) || drawn.From != nil {
		t.Errorf("%s %v", second.Drawn, err)
	}

	r.st.reset()
	r.answersAtOnce(t, m, second, `{"action":"select"}`)
	r.ended(t, "end_turn")
	if text := r.agentText(); !strings.Contains(text, "heard: I have answered “ThinkPad X1 — $1,149” (showProductCard)") || !strings.Contains(text, `"price":1149`) || !strings.HasSuffix(text, `: {"action":"select"}`) {
		t.Errorf("the agent heard %s", text)
	}
	_, c := r.display(t, "the answer on the card", func(_ *transcript.Message, c *transcript.ToolCall) bool {
		return c.ID == second.ID && strings.Contains(string(c.Output), `"answered"`)
	})
	if out := outputOf(t, &c); string(out.Answer) != `{"action":"select"}` || out.By != "person" || out.Wait != "none" || out.Late || c.Status != transcript.StatusCompleted || c.Drawn == nil {
		t.Errorf("%s %s", c.Status, c.Output)
	}
	r.check(t)

	// The other card outlives the app.
	a.kill()
	a = launch(t, home)
	again := &room{app: a, id: r.id, folder: r.folder}
	again.answersAtOnce(t, m, first, `{"action":"select"}`)
	deadline := time.Now().Add(timeout)
	for !strings.Contains(dump(again.messages(t)), "heard: I have answered “MacBook Pro — $1,299”") {
		if time.Now().After(deadline) {
			t.Fatal(dump(again.messages(t)))
		}
	}
}

// A card is answered while the run that has shown it continues, and from another space.
func TestACardIsAnsweredWhileTheRunGoesOn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{"showProductCard.json": productCard})
	a := launch(t, home)
	shop := a.scripted(t, "caller")
	stock := a.reenter(t, shop.folder, a.like(t, shop).ID)
	shop.send(t, wishes(product("Mug", 9, stock.id), product("Jug", 24, shop.id), wish{Say: "I go on. ", Wait: true}))
	shop.ctl.expect(t, "waits")
	m, mug := stock.card(t, "Mug — $9")
	var drawn displays.Drawn
	if err := json.Unmarshal(mug.Drawn, &drawn); err != nil || drawn.From == nil || drawn.From.SpaceID != shop.id || drawn.From.Agent == "" || drawn.From.MessageID == "" || drawn.From.ToolCallID == "" {
		t.Errorf("%s %v", mug.Drawn, err)
	}
	stock.answers(t, m, mug, `{"action":"select"}`)
	m, jug := shop.card(t, "Jug — $24")
	shop.answers(t, m, jug, `{"action":"select"}`)
	shop.ctl.say(t, "go on")
	for _, title := range []string{"Mug — $9", "Jug — $24"} {
		shop.st.until(t, "the answer for "+title, func(v *seen) bool {
			for _, m := range v.conv.Messages {
				if strings.Contains(m.Content(), "heard: I have answered “"+title+"”") {
					return m.EndedAt > 0
				}
			}
			return false
		})
	}
	shop.check(t)
	stock.check(t)
	var e *refusal
	if err := stock.try("AnswerDisplay", conversation.AnswerDisplayRequest{SpaceID: stock.id, MessageID: m.ID, ToolCallID: mug.ID, Answer: jsontext.Value(`{"action":"select"}`)}, nil); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}

// What a server-side tool has found is kept with its display, also where the call failed.
func TestToolResultsAreShownInTheirDisplays(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ownTools(t, home, map[string]string{
		"find.json": `{"name":"find","title":"Find laptops","description":"d","inputSchema":{"properties":{"text":{"type":"string"}}},"displayTool":true,"execution":{"command":"echo","args":["{{text}}"]},
			"render":{"as":"card","title":"Laptops","text":"{{result}}","actions":[{"id":"more","label":"More"}]}}`,
		"miss.json": `{"name":"miss","title":"Find nothing","description":"d","inputSchema":{},"displayTool":true,"execution":{"command":"false"}}`,
	})
	a := launch(t, home)
	r := a.scripted(t, "caller")
	r.send(t, wishes(wish{Tool: "find", Args: map[string]any{"text": "Found 3 laptops " + strings.Repeat("x", 3000), "targetSpaceId": r.id}}, wish{Tool: "miss", Args: map[string]any{"targetSpaceId": r.id}}))
	r.allow(t, 0, "once")
	r.allow(t, 1, "once")
	r.ended(t, "end_turn")
	m, found := r.card(t, "Laptops")
	if found.OutputRef == nil {
		t.Fatalf("%s", found.Output)
	}
	if text := a.blob(t, found.OutputRef.Hash); !strings.Contains(text, `"result":{"content":[{"type":"text","text":"Found 3 laptops`) || !strings.Contains(text, `"wait":"none"`) {
		t.Errorf("%.300s", text)
	}
	_, missed := r.display(t, "the failure", func(_ *transcript.Message, c *transcript.ToolCall) bool { return c.Status == transcript.StatusFailed })
	if missed.Title != "Find nothing" || missed.Error == "" {
		t.Errorf("%+v", missed)
	}
	r.st.reset()
	r.answers(t, m, found, `{"action":"more"}`)
	r.ended(t, "end_turn")
	if text := r.agentText(); !strings.Contains(text, `{"action":"more"}`) {
		t.Errorf("the agent heard %s", text)
	}
	r.check(t)
}
