package openai

import (
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"weft/backend/llm"
	"weft/backend/llm/turns"
)

// responsesRequest makes a request of Responses. Nothing is kept by the server: the conversation goes along as a whole.
func responsesRequest(req llm.Request, items []responses.ResponseInputItemUnionParam, tools []function, form *output, q quirks) responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: req.Model, Instructions: optional(req.System), Store: sdk.Bool(false)}
	p.Input.OfInputItemList = items
	for _, f := range tools {
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: f.name, Description: optional(f.description), Parameters: f.parameters, Strict: sdk.Bool(false),
		}})
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = sdk.Int(int64(req.MaxTokens))
	}
	if thinks := reasons(req.Model); thinks || req.Effort != "" {
		if !q.noEffort {
			p.Reasoning.Effort = shared.ReasoningEffort(req.Effort)
		}
		if thinks && !q.noSummary && !q.noEffort && req.Effort != "none" {
			p.Reasoning.Summary = shared.ReasoningSummaryAuto
		}
		if thinks && !q.noEncrypted {
			p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		}
	}
	if form != nil && q.objectOnly {
		p.Text.Format.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
		p.Instructions = param.NewOpt(req.System + "\n\nAnswer with one JSON object of this schema: " + string(req.Output.Schema))
	} else if form != nil {
		p.Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{Name: form.name, Schema: form.schema, Strict: sdk.Bool(form.strict)}
	}
	return p
}

// responseItems writes a conversation for Responses, as items in the order of the clean messages. Neighboring texts and
// images of one side are one message item. Items that came from this server go back as they came, by what was sealed.
func responseItems(s *server, req llm.Request) ([]responses.ResponseInputItemUnionParam, error) {
	w := &itemWriter{server: s}
	for _, msg := range req.Messages {
		for _, p := range msg.Parts {
			var err error
			if msg.Role == llm.RoleUser {
				err = w.user(p)
			} else {
				err = w.assistant(p)
			}
			if err != nil {
				return nil, err
			}
		}
		w.flush()
	}
	return w.out, nil
}

// itemWriter writes the parts of a conversation as items.
type itemWriter struct {
	server *server
	out    []responses.ResponseInputItemUnionParam
	asked  responses.ResponseInputMessageContentListParam // of the user's message that is being written
	said   *responses.ResponseOutputMessageParam          // of the model's
}

// flush ends the message that is being written.
func (w *itemWriter) flush() {
	if len(w.asked) > 0 {
		w.out = append(w.out, responses.ResponseInputItemUnionParam{OfInputMessage: &responses.ResponseInputItemMessageParam{
			Type: "message", Role: "user", Content: w.asked,
		}})
		w.asked = nil
	}
	if w.said != nil {
		if w.said.ID != "" {
			w.out = append(w.out, responses.ResponseInputItemUnionParam{OfOutputMessage: w.said})
		} else {
			w.out = append(w.out, easy(w.said))
		}
		w.said = nil
	}
}

// easy is a model's message that has no id.
func easy(said *responses.ResponseOutputMessageParam) responses.ResponseInputItemUnionParam {
	text := ""
	for i, c := range said.Content {
		if i > 0 {
			text += "\n\n"
		}
		if c.OfRefusal != nil {
			text += c.OfRefusal.Refusal
		} else {
			text += c.OfOutputText.Text
		}
	}
	e := &responses.EasyInputMessageParam{Type: "message", Role: "assistant"}
	e.Content.OfString = param.NewOpt(text)
	return responses.ResponseInputItemUnionParam{OfMessage: e}
}

func (w *itemWriter) user(p llm.Part) error {
	switch p := p.(type) {
	case llm.Text:
		w.asked = append(w.asked, responses.ResponseInputContentParamOfInputText(p.Text))
	case llm.Image:
		url, err := w.server.imageURL(p)
		if err != nil {
			return err
		}
		w.asked = append(w.asked, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
			Detail: responses.ResponseInputImageDetailAuto, ImageURL: sdk.String(url),
		}})
	case llm.File:
		if text, ok := turns.FileText(p); ok {
			w.asked = append(w.asked, responses.ResponseInputContentParamOfInputText(text))
			return nil
		}
		w.asked = append(w.asked, responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{
			Filename: sdk.String(p.Name), FileData: sdk.String(dataURL(p.MIME, p.Data)),
		}})
	case llm.ToolResult:
		w.flush()
		return w.result(p)
	default:
		return w.server.cannotCarry("this part of a message")
	}
	return nil
}

// result is an item of its own; with an image or a file in it, it is a list.
func (w *itemWriter) result(r llm.ToolResult) error {
	o := &responses.ResponseInputItemFunctionCallOutputParam{CallID: sdk.String(shortID(r.CallID, 64))}
	if len(turns.Attachments(r)) == 0 {
		text, err := turns.ResultText(r)
		if err != nil {
			return err
		}
		o.Output.OfString = param.NewOpt(text)
	} else {
		parts := r.Parts
		if r.Failed {
			parts = append([]llm.Part{llm.Text{Text: turns.Failed}}, parts...)
		}
		for _, p := range parts {
			part, err := w.resultPart(p)
			if err != nil {
				return err
			}
			o.Output.OfResponseFunctionCallOutputItemArray = append(o.Output.OfResponseFunctionCallOutputItemArray, part)
		}
	}
	w.out = append(w.out, responses.ResponseInputItemUnionParam{OfFunctionCallOutput: o})
	return nil
}

func (w *itemWriter) resultPart(p llm.Part) (responses.ResponseFunctionCallOutputItemUnionParam, error) {
	var u responses.ResponseFunctionCallOutputItemUnionParam
	switch p := p.(type) {
	case llm.Text:
		u.OfInputText = &responses.ResponseInputTextContentParam{Text: p.Text}
	case llm.Image:
		url, err := w.server.imageURL(p)
		if err != nil {
			return u, err
		}
		u.OfInputImage = &responses.ResponseInputImageContentParam{ImageURL: sdk.String(url)}
	case llm.File:
		if text, ok := turns.FileText(p); ok {
			u.OfInputText = &responses.ResponseInputTextContentParam{Text: text}
			return u, nil
		}
		u.OfInputFile = &responses.ResponseInputFileContentParam{Filename: sdk.String(p.Name), FileData: sdk.String(dataURL(p.MIME, p.Data))}
	default:
		return u, w.server.cannotCarry("this part of a result")
	}
	return u, nil
}

func (w *itemWriter) assistant(p llm.Part) error {
	switch p := p.(type) {
	case llm.Text:
		w.text(p.Text, w.itemOf(p.Sealed))
	case llm.Thinking:
		s := w.itemOf(p.Sealed)
		if s.Item == nil {
			if text := turns.Thinking(p); text != "" {
				w.text(text, itemSeal{})
			}
			return nil
		}
		w.flush()
		item := param.Override[responses.ResponseReasoningItemParam](s.Item)
		w.out = append(w.out, responses.ResponseInputItemUnionParam{OfReasoning: &item})
	case llm.ToolCall:
		w.flush()
		w.out = append(w.out, responses.ResponseInputItemUnionParam{OfFunctionCall: &responses.ResponseFunctionToolCallParam{
			ID: optional(w.itemOf(p.Sealed).ID), CallID: shortID(p.ID, 64), Name: p.Name, Arguments: arguments(p),
		}})
	default:
		return w.server.cannotCarry("a picture or file that a model created")
	}
	return nil
}

// text adds to the message that is being written, or begins one if that is another item.
func (w *itemWriter) text(text string, s itemSeal) {
	if w.said == nil || w.said.ID != s.ID {
		w.flush()
		w.said = &responses.ResponseOutputMessageParam{ID: s.ID, Status: responses.ResponseOutputMessageStatusCompleted, Phase: responses.ResponseOutputMessagePhase(s.Phase)}
	}
	var c responses.ResponseOutputMessageContentUnionParam
	if s.Refusal {
		c.OfRefusal = &responses.ResponseOutputRefusalParam{Refusal: text}
	} else {
		c.OfOutputText = &responses.ResponseOutputTextParam{Text: text, Annotations: []responses.ResponseOutputTextAnnotationUnionParam{}}
	}
	w.said.Content = append(w.said.Content, c)
}

// itemSeal is what is sealed in a part that came as an item of Responses, or in one. It is for the host it is from.
type itemSeal struct {
	At      string          `json:"at"`
	Item    json.RawMessage `json:"item,omitempty"`  // of a thinking: all of it
	ID      string          `json:"id,omitempty"`    // of a text or a call
	Phase   string          `json:"phase,omitempty"` // of a text
	Refusal bool            `json:"refusal,omitempty"`
}

const itemSealer = "openai"

func (s itemSeal) seal() *llm.Sealed {
	data, err := json.Marshal(s)
	if err != nil {
		return nil // an item was valid when it came
	}
	return &llm.Sealed{Provider: itemSealer, Data: data}
}

// itemOf returns what this server has sealed in a part.
func (w *itemWriter) itemOf(sealed *llm.Sealed) itemSeal {
	var s itemSeal
	if json.Unmarshal(sealed.By(itemSealer), &s) != nil || s.At != w.server.host {
		return itemSeal{}
	}
	return s
}
