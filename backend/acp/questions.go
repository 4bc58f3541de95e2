package acp

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/scan"
	"weft/backend/transcript"
)

// Question is one of those that an agent asks in a permission request.
type Question struct {
	Header      string
	Text        string
	MultiSelect bool
	Options     []QuestionOption
}

// QuestionOption is an answer that is offered. A user may always say something else.
type QuestionOption struct{ Label, Description string }

// maxQuestions is how many questions of one request, and options of one question, are read.
const maxQuestions = 100

// askingTools are the tools whose permission requests are questions (qwen and its relatives).
var askingTools = []string{"askuserquestion"}

// Questions reads the questions of a permission request that asks for answers and not for leave: as _meta has them
// (of the request or of its call), or as the arguments of a tool that asks. It is nil for all others.
func Questions(params jsontext.Value) []Question {
	meta, call := scan.Member(params, "_meta"), scan.Member(params, "toolCall")
	callMeta := scan.Member(call, "_meta")
	for _, m := range [][]byte{meta, callMeta} {
		for _, name := range []string{"qwenQuestions", "questions"} {
			if list := questions(scan.Member(m, name)); list != nil {
				return list
			}
		}
	}
	kind, _ := scan.Text(scan.Member(meta, "qwenInteractionKind"))
	if kind == "" {
		kind, _ = scan.Text(scan.Member(callMeta, "qwenInteractionKind"))
	}
	var p transcript.ToolPatch
	toolMeta(&p, callMeta)
	name, _ := scan.Text(scan.Member(call, "name"))
	if p.Name != nil {
		name = *p.Name
	}
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	if kind == "user_question" || slices.Contains(askingTools, name) {
		return questions(scan.Member(scan.Member(call, "rawInput"), "questions"))
	}
	return nil
}

func questions(v []byte) (list []Question) {
	if len(v) == 0 || v[0] != '[' {
		return nil
	}
	for _, one := range scan.Elements(v) {
		var q Question
		q.Text, _ = scan.Text(scan.Member(one, "question"))
		q.Header, _ = scan.Text(scan.Member(one, "header"))
		q.MultiSelect = string(scan.Member(one, "multiSelect")) == "true"
		if options := scan.Member(one, "options"); len(options) > 0 && options[0] == '[' {
			for _, o := range scan.Elements(options) {
				label, ok := scan.Text(o)
				if !ok {
					label, ok = scan.Text(scan.Member(o, "label"))
				}
				description, _ := scan.Text(scan.Member(o, "description"))
				if ok && len(q.Options) < maxQuestions {
					q.Options = append(q.Options, QuestionOption{label, description})
				}
			}
		}
		if q.Text == "" && q.Header == "" {
			return nil
		}
		if list = append(list, q); len(list) == maxQuestions {
			break
		}
	}
	return list
}
