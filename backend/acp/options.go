package acp

import (
	"bytes"
	"cmp"
	"context"
	stdjson "encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"weft/backend/acp/scan"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what an agent can offer; what is beyond them is not offered.
const (
	maxOptions   = 100
	maxChoices   = 2000
	maxOptionID  = 1 << 10 // bytes; longer ids cannot be chosen
	maxOptionTxt = 500     // bytes of a name or description that are kept
)

// Option is something about a session that a user can choose, such as its model or mode,
// in one form for the three ways in which agents offer it: config options, modes and models.
type Option struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Category    string         `json:"category,omitzero"`          // mode, model, thought_level, or another
	Type        string         `json:"type" enum:"select,boolean"` // select, boolean
	Current     jsontext.Value `json:"current"`                    // a string or a boolean
	Choices     []Choice       `json:"choices,omitempty"`
	Via         string         `json:"via"` // config, mode, model: how it is set
}

// Choice is a value that a select option can take.
type Choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Group       string `json:"group,omitzero"`
}

// The ways of [Option.Via], which are also the ids of what is not a config option.
const (
	ViaConfig = "config"
	ViaMode   = "mode"
	ViaModel  = "model"
)

// Offer is what a session offers now. The zero value offers nothing.
type Offer struct {
	config []Option
	mode   *Option // session modes
	model  *Option // session models
}

// Session takes over what an agent said when it made or opened a session.
func (o *Offer) Session(r SessionResult) {
	o.config, o.mode, o.model = nil, nil, nil
	o.SetConfig(r.ConfigOptions)
	o.mode = legacy(ViaMode, "Mode", r.Modes, "availableModes", "currentModeId", "id")
	o.model = legacy(ViaModel, "Model", r.Models, "availableModels", "currentModelId", "modelId")
}

// SetConfig takes over a whole list of config options.
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

// SetMode takes over a change of the mode, a JSON string. Agents that offer the mode as a
// config option tell it in this way, too. A mode that isn't offered is in force all the same.
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

// Set takes over that an option was set.
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

// List returns the options as they are offered to the user. A mode or model that is a config
// option already is not offered a second time (ACP Session Config Options).
func (o *Offer) List() []Option {
	list := make([]Option, 0, len(o.config)+2)
	for _, legacy := range []*Option{o.mode, o.model} {
		if legacy != nil && !slices.ContainsFunc(o.config, func(c Option) bool { return c.Category == legacy.Category || c.ID == legacy.ID }) {
			list = append(list, *legacy)
		}
	}
	return append(list, o.config...)
}

// Offers reports whether the option can take value.
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

// without gives the name of a choice without that of its option, which some agents put before it: "Thinking: medium" of Thinking.
func (o *Option) without(name string) string {
	if n := len(o.Name); len(name) > n && strings.EqualFold(name[:n], o.Name) {
		if rest, ok := strings.CutPrefix(name[n:], ":"); ok {
			return cmp.Or(strings.TrimSpace(rest), name)
		}
	}
	return name
}

// add reads a choice whose value is under the name id.
func (o *Option) add(seen map[string]bool, v []byte, id, group string) {
	value, ok := scan.Text(scan.Member(v, id))
	if !ok || len(value) > maxOptionID || len(o.Choices) == maxChoices || seen[value] {
		return
	}
	seen[value] = true
	o.Choices = append(o.Choices, Choice{Value: value, Name: cmp.Or(o.without(short(scan.Member(v, "name"))), value), Description: short(scan.Member(v, "description")), Group: group})
}

// short reads a string for people, cut where it is too long to be one.
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

// Choose sets an option of a session (session/set_config_option, session/set_mode or
// session/set_model, as the option wants it). It returns the session's config options where
// the agent tells them, as setting one may change others; nil otherwise.
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

// raw passes JSON through the encoder as it is.
func raw(v jsontext.Value) stdjson.RawMessage { return stdjson.RawMessage(v) }
