// Package command is what a command of Weft is: a name, a request, an answer, and the function that does its work. The
// faces run commands by name; the published contract (docs/api.md and the types of the frontend) is generated from the
// same declarations.
package command

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
)

// None is the request of commands that take nothing, and the answer of those that return nothing.
type None struct{}

// Command is one command. Commands are made with [New] and are not changed afterwards.
type Command struct {
	Name string
	// Request and Answer are the types whose JSON goes in and out. [None] stands for nothing.
	Request, Answer reflect.Type
	// Func is the name of the Go function that does the work, as the runtime has it. Its comment documents the command.
	Func string

	run func(ctx context.Context, request []byte) ([]byte, error)
}

// Wire is how requests are decoded and answers encoded. Text of agents is not always clean, and a nil list is an empty
// one.
var Wire = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// New declares a command. It is named after do, which is a method.
func New[Req, Res any](do func(context.Context, Req) (Res, error)) Command {
	return declared(do).named(do)
}

// named names a command after the method that carries it out.
func (c Command) named(do any) Command {
	full := runtime.FuncForPC(reflect.ValueOf(do).Pointer()).Name()
	full = strings.TrimSuffix(full, "-fm") // of a method value
	c.Name, c.Func = full[strings.LastIndex(full, ".")+1:], full
	return c
}

// declared has one copy for each command in the program, so what doesn't depend on the types is elsewhere.
func declared[Req, Res any](do func(context.Context, Req) (Res, error)) Command {
	return Command{
		Request: reflect.TypeFor[Req](), Answer: reflect.TypeFor[Res](),
		run: func(ctx context.Context, request []byte) ([]byte, error) {
			var req Req
			if err := decode(request, &req); err != nil {
				return nil, err
			}
			res, err := do(ctx, req)
			return encode(&res, err)
		},
	}
}

func decode(request []byte, to any) error {
	if len(request) == 0 {
		return nil
	}
	if err := json.Unmarshal(request, to, Wire); err != nil {
		return fault.New(fault.Invalid, "The request can't be read: {{reason}}.", err).Because(err)
	}
	return nil
}

func encode(answer any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(answer, Wire)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return out, nil
}

// Run runs the command with the JSON of its request (empty means {}) and returns the JSON of its answer.
func (c Command) Run(ctx context.Context, request []byte) ([]byte, error) { return c.run(ctx, request) }

// Group is commands about one subject.
type Group struct {
	Title    string
	Commands []Command
}

// Named declares a command that do carries out, a field of a struct of functions: owner is the name of that struct with
// its package, and name that of the command and of the field.
func Named[Req, Res any](owner, name string, do func(context.Context, Req) (Res, error)) Command {
	c := declared(do)
	c.Name, c.Func = name, owner+"."+name
	return c
}
