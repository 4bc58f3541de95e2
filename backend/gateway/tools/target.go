package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
)

// TargetName is the property that Weft adds to the schema of a display tool for agents. Tools never receive it.
const TargetName = "targetSpaceId"

const targetDescription = "Where this is shown: the id of a space that you are a member of (see listSpaces). It becomes a part of your message in that " +
	"space, at the place where you are now; use the id of the current space to show it in your own answer. If left out, the tool runs silently and no one sees it."

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members returns the members of an object in order, with their raw values.
func Members(raw []byte) ([]Member, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	if t.Kind() != '{' {
		return nil, errors.New("it isn't a JSON object")
	}
	var out []Member
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		m := Member{Name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		m.Value = bytes.Clone(value)
		out = append(out, m)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the object")
	}
	return out, nil
}

// object encodes members as an object.
func object(list []Member) (json.RawMessage, error) {
	out := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		quoted, err := jsontext.AppendQuote(out, m.Name)
		if err != nil {
			return nil, err
		}
		out = append(append(quoted, ':'), m.Value...)
	}
	return append(out, '}'), nil
}

// WithTarget returns a schema with the optional target as its first property: models write arguments in the order of
// the schema, and a call can be shown as soon as its space is known.
func WithTarget(schema json.RawMessage) (json.RawMessage, error) {
	target, err := json.Marshal(map[string]any{"type": []string{"string", "null"}, "description": targetDescription})
	if err != nil {
		return nil, err
	}
	if _, err := Members(schema); err != nil {
		return nil, err
	}
	var a targetAdder
	out, err := a.admit(schema, target, true)
	if err != nil {
		return nil, err
	}
	return a.refs.follow(out, func(one json.RawMessage) (json.RawMessage, error) { return a.admit(one, anyTarget, false) })
}

// TakeTarget removes the target from arguments and returns both. null counts as absent, because
// models that must write every property use it for that. Errors: *Error with invalid.
func TakeTarget(tool string, sent json.RawMessage) (input json.RawMessage, space string, err error) {
	all, err := Members(sent)
	if err != nil {
		return nil, "", NotAnObject(tool, err)
	}
	for i, m := range all {
		if m.Name != TargetName {
			continue
		}
		if string(m.Value) != "null" {
			if err := json.Unmarshal(m.Value, &space); err != nil || space == "" {
				return nil, "", Invalid("The targetSpaceId of %s must be the id of a space from listSpaces. Leave it out to show nothing.", tool)
			}
		}
		if input, err = object(append(all[:i:i], all[i+1:]...)); err != nil {
			return nil, "", Invalid("The arguments of %s can't be read: %s.", tool, clip.Text(err.Error(), 200))
		}
		return input, space, nil
	}
	return sent, "", nil
}

// WithoutTarget returns the arguments of a display tool without the target. If they aren't an object, it returns them
// unchanged.
func WithoutTarget(sent json.RawMessage) json.RawMessage {
	if input, _, err := TakeTarget("", sent); err == nil {
		return input
	}
	return sent
}

// NotAnObject returns the error for a call whose arguments aren't a JSON object.
func NotAnObject(tool string, err error) *Error {
	return Invalid("The arguments of %s must be a JSON object: %s.", tool, clip.Text(err.Error(), 200))
}
