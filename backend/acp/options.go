package acp

import (
	"bytes"
	"cmp"
	"context"
	stdjson "encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"weft/backend/base/scan"

	"github.com/go-json-experiment/json/jsontext"
)

// The limits of an agent's options. Weft ignores what exceeds them.
const (
	maxOptions   = 100
	maxChoices   = 2000
	maxOptionID  = 1 << 10 // bytes; longer ids cannot be chosen
	maxOptionTxt = 500     // bytes of a name or description that are kept
)

// Option is a setting of a session, such as its model or mode. It unifies the three forms in
// which agents offer settings: config options, modes and models.
type Option struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Category    string         `json:"category,omitzero"`          // mode, model, thought_level, or another
	Type        string         `json:"type" enum:"select,boolean"` // select, boolean
	Current     jsontext.Value `json:"current"`                    // a string or a boolean
	Choices     []Choice       `json:"choices,omitempty"`
	Via         string         `json:"via"` // config, mode or model: how it is set
}

// Choice is a value of a select option.
type Choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Group       string `json:"group,omitzero"`
}

// The values of [Option.Via]. ViaMode and ViaModel are also the ids of those options.
const (
	ViaConfig = "config"
	ViaMode   = "mode"
	ViaModel  = "model"
)

// Offer is the current set of a session's options. The zero value is empty.
type Offer struct {
	config []Option
	mode   *Option // session modes
	model  *Option // session models
}

// Session replaces all options with those in the result of making or opening a session.
func (o *Offer) Session(r SessionResult) {
	o.config, o.mode, o.model = nil, nil, nil
	o.SetConfig(r.ConfigOptions)
	o.mode = legacy(ViaMode, "Mode", r.Modes, "availableModes", "currentModeId", "id")
	o.model = legacy(ViaModel, "Model", r.Models, "availableModels", "currentModelId", "modelId")
}

// SetConfig replaces all config options.
func (o *Offer) SetConfig(list jsontext.Value) {
	if len(list) == 0 || list[0] != '[' {
		return
	}
	o.config = nil
	for _, v := range scan.Elements(list) {
		if len(o.config) == maxOptions {
			return
		}
		if op, ok := readOption(v); ok && !slices.ContainsFunc(o.config, func(have Option) bool { return have.ID == op.ID }) {
			o.config = append(o.config, op)
		}
	}
}

// SetMode sets the current mode, a JSON string, also if the agent offers the mode as a config
// option. It accepts a mode that isn't among the choices.
func (o *Offer) SetMode(value jsontext.Value) {
	if _, ok := scan.Text(value); !ok {
		return
	}
	if len(value) > maxOptionID {
		value = jsontext.Value(`""`)
	}
	if o.mode != nil {
		o.mode.Current = scan.Clone(value)
	}
	var other *Option
	for i := range o.config {
		switch c := &o.config[i]; {
		case c.Category != ViaMode:
		case c.Offers(value):
			o.set(nil, ViaMode, value)
			return
		case other == nil && c.Type != "boolean":
			other = c
		}
	}
	if other != nil {
		other.Current = scan.Clone(value)
	}
}

// Set sets the current value of an option.
func (o *Offer) Set(option Option, value jsontext.Value) {
	switch option.Via {
	case ViaMode:
		o.set(o.mode, ViaMode, value)
	case ViaModel:
		o.set(o.model, ViaModel, value)
	default:
		for i := range o.config {
			if c := &o.config[i]; c.ID == option.ID && c.Offers(value) {
				c.Current = scan.Clone(value)
			}
		}
	}
}

func (o *Offer) set(option *Option, category string, value jsontext.Value) {
	if option != nil && option.Offers(value) {
		option.Current = scan.Clone(value)
	}
	for i := range o.config {
		if c := &o.config[i]; c.Category == category && c.Offers(value) {
			c.Current = scan.Clone(value)
		}
	}
}

// List returns the options to show to the user. It skips the session mode or model if there is a
// config option for it (ACP Session Config Options).
func (o *Offer) List() []Option {
	list := make([]Option, 0, len(o.config)+2)
	for _, legacy := range []*Option{o.mode, o.model} {
		if legacy != nil && !slices.ContainsFunc(o.config, func(c Option) bool { return c.Category == legacy.Category || c.ID == legacy.ID }) {
			list = append(list, *legacy)
		}
	}
	return append(list, o.config...)
}

// Offers reports whether value is valid for the option.
func (o *Option) Offers(value jsontext.Value) bool {
	if o.Type == "boolean" {
		return string(value) == "true" || string(value) == "false"
	}
	s, ok := scan.Text(value)
	return ok && slices.ContainsFunc(o.Choices, func(c Choice) bool { return c.Value == s })
}

// Is reports whether value is the current one.
func (o *Option) Is(value jsontext.Value) bool {
	a, aok := scan.Text(o.Current)
	b, bok := scan.Text(value)
	return aok && bok && a == b || bytes.Equal(o.Current, value)
}

func legacy(via, name string, v jsontext.Value, list, current, id string) *Option {
	op := Option{ID: via, Name: name, Category: via, Type: "select", Via: via, Current: scan.Clone(scan.Member(v, current))}
	seen := map[string]bool{}
	for _, c := range scan.Elements(scan.Member(v, list)) {
		op.add(seen, c, id, "")
	}
	if len(op.Choices) == 0 || len(op.Current) == 0 {
		return nil
	}
	return &op
}

func readOption(v []byte) (op Option, ok bool) {
	op.Via = ViaConfig
	var current, choices []byte
	for name, value := range scan.Fields(v) {
		switch string(name) {
		case "id":
			op.ID, _ = scan.Text(value)
		case "name":
			op.Name = short(value)
		case "description":
			op.Description = short(value)
		case "category":
			op.Category, _ = scan.Text(value)
		case "type":
			op.Type, _ = scan.Text(value)
		case "currentValue":
			current = value
		case "options":
			choices = value
		}
	}
	op.Name = cmp.Or(op.Name, op.ID)
	op.Current = scan.Clone(current)
	if op.ID == "" || len(op.ID) > maxOptionID || len(current) == 0 {
		return op, false
	}
	if op.Type == "boolean" {
		return op, current[0] == 't' || current[0] == 'f'
	}
	op.Type = "select"
	seen := map[string]bool{}
	for _, c := range scan.Elements(choices) {
		if members := scan.Member(c, "options"); len(members) > 0 {
			group := cmp.Or(short(scan.Member(c, "name")), short(scan.Member(c, "group")))
			for _, one := range scan.Elements(members) {
				op.add(seen, one, "value", group)
			}
			continue
		}
		op.add(seen, c, "value", "")
	}
	return op, current[0] == '"' && len(op.Choices) > 0
}

// without returns the name of a choice without the option's name, which some agents repeat: "Thinking: medium" becomes
// "medium".
func (o *Option) without(name string) string {
	if n := len(o.Name); len(name) > n && strings.EqualFold(name[:n], o.Name) {
		if rest, ok := strings.CutPrefix(name[n:], ":"); ok {
			return cmp.Or(strings.TrimSpace(rest), name)
		}
	}
	return name
}

// add adds the choice v, whose value is the member id.
func (o *Option) add(seen map[string]bool, v []byte, id, group string) {
	value, ok := scan.Text(scan.Member(v, id))
	if !ok || len(value) > maxOptionID || len(o.Choices) == maxChoices || seen[value] {
		return
	}
	seen[value] = true
	o.Choices = append(o.Choices, Choice{Value: value, Name: cmp.Or(o.without(short(scan.Member(v, "name"))), value), Description: short(scan.Member(v, "description")), Group: group})
}

// short reads a string and truncates it to maxOptionTxt bytes.
func short(v []byte) string {
	s, _ := scan.Text(v)
	s = strings.TrimSpace(s)
	if len(s) <= maxOptionTxt {
		return s
	}
	end := maxOptionTxt
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// Choose sets an option of a session with session/set_config_option, session/set_mode or
// session/set_model, depending on [Option.Via]. Setting one option may change others: it returns
// all config options if the response has them, otherwise nil.
func (c *Conn) Choose(ctx context.Context, sessionID string, option Option, value jsontext.Value) (jsontext.Value, error) {
	switch option.Via {
	case ViaMode:
		_, err := c.call(ctx, "session/set_mode", sessionID, map[string]any{"sessionId": sessionID, "modeId": raw(value)})
		return nil, err
	case ViaModel:
		_, err := c.call(ctx, "session/set_model", sessionID, map[string]any{"sessionId": sessionID, "modelId": raw(value)})
		return nil, err
	}
	p := map[string]any{"sessionId": sessionID, "configId": option.ID, "value": raw(value)}
	if option.Type == "boolean" {
		p["type"] = "boolean"
	}
	answer, err := c.call(ctx, "session/set_config_option", sessionID, p)
	if err != nil {
		return nil, err
	}
	if list := scan.Member(answer, "configOptions"); !scan.Null(list) {
		return scan.Clone(list), nil
	}
	return nil, nil
}

// raw makes encoding/json write v unchanged.
func raw(v jsontext.Value) stdjson.RawMessage { return stdjson.RawMessage(v) }
