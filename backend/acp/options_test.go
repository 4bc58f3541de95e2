package acp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func opened(t *testing.T, result string) *Offer {
	t.Helper()
	var o Offer
	o.Session(readSession("s", jsontext.Value(result)))
	return &o
}

// told renders options as id(category,via)=current[values].
func told(o *Offer) string {
	var out []string
	for _, op := range o.List() {
		var values []string
		for _, c := range op.Choices {
			v := c.Value
			if c.Group != "" {
				v = c.Group + "/" + v
			}
			values = append(values, v)
		}
		out = append(out, fmt.Sprintf("%s(%s,%s)=%s%v", op.ID, op.Category, op.Via, op.Current, values))
	}
	return strings.Join(out, " ")
}

func TestOptionsOfSessions(t *testing.T) {
	const modes = `"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"yolo","name":"YOLO"}]}`
	const models = `"models":{"currentModelId":"m1","availableModels":[{"modelId":"m1","name":"One"},{"modelId":"m2"}]}`
	for name, c := range map[string]struct{ result, want string }{
		"nothing":         {`{}`, ``},
		"modes, models":   {`{` + modes + `,` + models + `}`, `mode(mode,mode)="ask"[ask yolo] model(model,model)="m1"[m1 m2]`},
		"config wins":     {`{` + modes + `,"configOptions":[{"id":"m","category":"mode","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}]}`, `m(mode,config)="x"[x]`},
		"config and mode": {`{` + modes + `,"configOptions":[{"id":"think","category":"thought_level","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]}]}`, `mode(mode,mode)="ask"[ask yolo] think(thought_level,config)="x"[x]`},
		"groups":          {`{"configOptions":[{"id":"m","type":"select","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a"},{"value":"b"}]},{"group":"h","options":[{"value":"c"}]}]}]}`, `m(,config)="a"[G/a G/b h/c]`},
		"boolean":         {`{"configOptions":[{"id":"fast","type":"boolean","currentValue":true}]}`, `fast(,config)=true[]`},
		"broken": {`{"modes":[],"models":{"availableModels":7},"configOptions":[7,null,{"id":""},{"id":"a","currentValue":"x"},{"id":"b","currentValue":{},"options":[{"value":"x"}]},
			{"id":"c","type":"boolean","currentValue":"yes"},{"id":"d","currentValue":"x","options":[{"value":"x"},{"value":"x"},{"value":3},{}]},{"id":"d","currentValue":"y","options":[{"value":"y"}]}]}`, `d(,config)="x"[x]`},
	} {
		if got := told(opened(t, c.result)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestChoicesDoNotRepeatTheirOption(t *testing.T) {
	o := opened(t, `{"configOptions":[{"options":[{"value":"a","name":"Thinking: medium"},{"value":"b","name":"thinking:high"},{"value":"c","name":"Thinking:"},{"value":"d","name":"Thinking hard"},{"value":"e"}],
		"id":"t","name":"Thinking","type":"select","currentValue":"a"}]}`)
	var names []string
	for _, c := range o.List()[0].Choices {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, "|"); got != "medium|high|Thinking:|Thinking hard|e" {
		t.Errorf("%q", got)
	}
}

func TestOptionsChange(t *testing.T) {
	o := opened(t, `{"modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"plan"}]},"configOptions":[{"id":"x","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask"},{"value":"plan"}]}]}`)
	o.SetMode(jsontext.Value(`"plan"`))
	o.SetMode(jsontext.Value(`"nonsense"`))
	if got := told(o); got != `x(mode,config)="nonsense"[ask plan]` {
		t.Error(got)
	}
	o.SetMode(jsontext.Value(`7`))
	o.SetMode(jsontext.Value(`"plan"`))
	if got := told(o); got != `x(mode,config)="plan"[ask plan]` {
		t.Error(got)
	}
	o.SetConfig(jsontext.Value(`[]`)) // the agent offers no config options any more
	if got := told(o); got != `mode(mode,mode)="plan"[ask plan]` {
		t.Error(got)
	}
	o.SetConfig(jsontext.Value(`"junk"`))
	if got := told(o); got != `mode(mode,mode)="plan"[ask plan]` {
		t.Error(got)
	}
}

func TestOptionsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `{"id":"%d","name":%q,"type":"select","currentValue":"0","options":[`, i, strings.Repeat("ä", 600))
		for j := range 20 {
			fmt.Fprintf(&b, `{"value":"%d"},`, j)
		}
		b.WriteString(`{"value":"0"}]},`)
	}
	o := opened(t, `{"configOptions":[`+b.String()+`null]}`)
	list := o.List()
	if len(list) != maxOptions || len(list[0].Choices) != 20 || len(list[0].Name) > maxOptionTxt+3 {
		t.Errorf("%d options, %d choices, name of %d bytes", len(list), len(list[0].Choices), len(list[0].Name))
	}
	if raw, err := json.Marshal(list); err != nil || !jsontext.Value(raw).IsValid() {
		t.Error(err)
	}
	if !slices.ContainsFunc(list, func(o Option) bool { return o.Offers(jsontext.Value(`"19"`)) }) {
		t.Error("offers nothing")
	}
}
