package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
)

const (
	maxTodos = 200
	maxTodo  = 500 // characters
)

type todoInput struct {
	Todos []struct {
		Content  string `json:"content"`
		Status   string `json:"status"`
		Priority string `json:"priority"`
	} `json:"todos"`
}

func todoTool() Tool {
	p := params{{name: "todos", kind: listField, required: true, doc: "All steps, in order; they replace those of before.", items: params{
		{name: "content", kind: stringField, required: true, doc: "What to do."},
		{name: "status", kind: stringField, required: true, enum: []string{"pending", "in_progress", "completed"}},
		{name: "priority", kind: stringField, enum: []string{"high", "medium", "low"}, doc: "Default medium."},
	}}}
	t := described("todo", "Show the user the plan of a longer task and how far it is. Keep one step in_progress, and mark steps completed as soon as they are.",
		acp.ToolKindThink, Reads, p)
	t.Unseen = true
	t.Look = func(*Env, map[string]json.RawMessage) Look { return Look{Title: "Update the plan"} }
	t.Prepare = func(_ context.Context, _ *Env, input json.RawMessage) (Prepared, error) {
		var in todoInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		if len(in.Todos) > maxTodos {
			return Prepared{}, failf("A plan can have at most %d steps; this one has %d.", maxTodos, len(in.Todos))
		}
		return Prepared{Look: Look{Title: "Update the plan"}, Run: func(context.Context, func(Progress)) (Result, error) {
			return in.result(), nil
		}}, nil
	}
	return t
}

func (in todoInput) result() Result {
	plan := make([]acp.PlanEntry, 0, len(in.Todos))
	done := 0
	var b strings.Builder
	for _, one := range in.Todos {
		e := acp.PlanEntry{Content: oneLine(one.Content, maxTodo), Status: acp.PlanEntryStatus(one.Status), Priority: acp.PlanEntryPriorityMedium}
		if one.Priority != "" {
			e.Priority = acp.PlanEntryPriority(one.Priority)
		}
		mark := map[acp.PlanEntryStatus]string{acp.PlanEntryStatusInProgress: "[~]", acp.PlanEntryStatusCompleted: "[x]"}[e.Status]
		if mark == "" {
			mark = "[ ]"
		}
		if e.Status == acp.PlanEntryStatusCompleted {
			done++
		}
		fmt.Fprintf(&b, "%s %s\n", mark, e.Content)
		plan = append(plan, e)
	}
	summary := fault.Text("{{n}} of {{n2}} steps done", done, len(plan))
	switch len(plan) {
	case 0:
		summary = fault.Text("The plan is empty")
	case 1:
		summary = fault.Text("{{n}} of 1 step done", done)
	}
	return Result{
		Parts: textPart(summary + ".\n" + b.String()), Content: []acp.ToolCallContent{textContent(fenced("", b.String()))},
		Summary: summary, Count: len(plan), Plan: plan, Output: map[string]any{"steps": len(plan), "completed": done},
	}
}
