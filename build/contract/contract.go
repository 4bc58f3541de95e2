// Package contract writes down what other programs may rely on: the commands with their requests and answers, and the
// events. All of it is declared in Go, in [service.Commands], [service.AppEvents] and [transcript.EventTypes]; this
// package makes the types of the frontend and the tables of docs/api.md from these declarations and their comments
// (decision 0030).
package contract

import (
	"fmt"
	"reflect"

	"weft/backend/api/service"
	"weft/backend/base/command"
	"weft/backend/conversation/transcript"
)

// Contract is everything that is declared.
type Contract struct {
	model      *model
	groups     []group
	events     []event
	eventTypes map[reflect.Type][]string // the types of events, by their bodies
	appEvents  []event
}

type group struct {
	title    string
	commands []commandShape
}

type commandShape struct {
	name, doc       string
	request, answer expr
}

type event struct {
	name string
	doc  string
	body reflect.Type
}

// Read collects the declarations. It reads the Go files of the module for their comments.
func Read() (*Contract, error) {
	src, err := newSource()
	if err != nil {
		return nil, err
	}
	c := &Contract{
		model:      &model{src: src, names: names, values: held, shapes: map[reflect.Type]*shape{}, taken: map[string]reflect.Type{}},
		eventTypes: map[reflect.Type][]string{},
	}
	if err := c.readEvents(); err != nil {
		return nil, err
	}
	for _, g := range Groups() {
		if err := c.readGroup(g); err != nil {
			return nil, err
		}
	}
	for _, e := range service.AppEvents() {
		body := reflect.TypeOf(e)
		s, err := c.model.object(body, false, true)
		if err != nil {
			return nil, err
		}
		c.appEvents = append(c.appEvents, event{name: e.AppEvent(), doc: s.doc, body: body})
	}
	for _, t := range parts {
		if _, err := c.model.add(t, false, true); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Groups are all commands: those that both faces have, and those of the window.
func Groups() []command.Group {
	return append(service.Commands(nil), service.WindowCommands(service.Window{}))
}

func (c *Contract) readEvents() error {
	for _, t := range transcript.EventTypes() {
		b, err := transcript.NewBody(t)
		if err != nil {
			return fmt.Errorf("read the events: %w", err)
		}
		body := reflect.TypeOf(b).Elem()
		if _, seen := c.eventTypes[body]; !seen {
			s, err := c.model.object(body, false, true)
			if err != nil {
				return err
			}
			c.events = append(c.events, event{name: string(t), doc: s.doc, body: body})
		}
		c.eventTypes[body] = append(c.eventTypes[body], string(t))
	}
	return nil
}

func (c *Contract) readGroup(g command.Group) error {
	out := group{title: g.Title}
	for _, cmd := range g.Commands {
		s := commandShape{name: cmd.Name}
		var err error
		if s.doc, err = c.model.src.function(cmd.Func); err != nil {
			return err
		}
		if s.request, err = c.model.add(cmd.Request, true, false); err != nil {
			return fmt.Errorf("the request of %s: %w", cmd.Name, err)
		}
		if s.answer, err = c.model.add(cmd.Answer, false, true); err != nil {
			return fmt.Errorf("the answer of %s: %w", cmd.Name, err)
		}
		out.commands = append(out.commands, s)
	}
	c.groups = append(c.groups, out)
	return nil
}
