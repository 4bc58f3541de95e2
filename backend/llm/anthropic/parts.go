package anthropic

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"weft/backend/llm"
)

// nothing stands for a message in which there is nothing that the API takes, since it takes no empty one.
const nothing = "(nothing)"

func message(m llm.Message, model string) (sdk.MessageParam, error) {
	out := sdk.MessageParam{Role: sdk.MessageParamRoleUser}
	if m.Role == llm.RoleModel {
		out.Role = sdk.MessageParamRoleAssistant
	}
	var results, others []sdk.ContentBlockParamUnion
	for _, p := range m.Parts {
		block, err := part(p, model)
		switch {
		case err != nil:
			return out, err
		case block == nil:
		case block.OfToolResult != nil:
			results = append(results, *block)
		default:
			others = append(others, *block)
		}
	}
	out.Content = append(results, others...)
	if len(out.Content) == 0 {
		out.Content = []sdk.ContentBlockParamUnion{sdk.NewTextBlock(nothing)}
	}
	return out, nil
}

// part maps one; nil is nothing to send.
func part(p llm.Part, model string) (*sdk.ContentBlockParamUnion, error) {
	switch p := p.(type) {
	case llm.Text:
		return text(p.Text), nil
	case llm.Thinking:
		return thinking(p, model), nil
	case llm.ToolCall:
		return &sdk.ContentBlockParamUnion{OfToolUse: &sdk.ToolUseBlockParam{ID: callID(p.ID), Name: p.Name, Input: p.Object()}}, nil
	case llm.ToolResult:
		r, err := result(p)
		return &sdk.ContentBlockParamUnion{OfToolResult: r}, err
	case llm.Image:
		i, err := image(p.MIME, p.Data)
		return &sdk.ContentBlockParamUnion{OfImage: i}, err
	case llm.File:
		if strings.HasPrefix(p.MIME, "image/") {
			return part(llm.Image{MIME: p.MIME, Data: p.Data}, model)
		}
		d, err := document(p)
		return &sdk.ContentBlockParamUnion{OfDocument: d}, err
	}
	return nil, llm.Fail(llm.CodeUnmappable, "{{provider}} doesn't accept a {{type}}.", "Anthropic", fmt.Sprintf("%T", p))
}

func text(s string) *sdk.ContentBlockParamUnion {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	b := sdk.NewTextBlock(s)
	return &b
}

// seal is what has to come back with thinking. Signatures are only good for the model that made them.
type seal struct {
	Model     string `json:"model"`
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"`
}

func thinking(t llm.Thinking, model string) *sdk.ContentBlockParamUnion {
	var s seal
	if data := t.Sealed.By(Provider); data != nil && json.Unmarshal(data, &s) == nil && s.Model == model {
		switch {
		case s.Redacted != "":
			b := sdk.NewRedactedThinkingBlock(s.Redacted)
			return &b
		case s.Signature != "":
			b := sdk.NewThinkingBlock(s.Signature, t.Text)
			return &b
		}
	}
	if strings.TrimSpace(t.Text) == "" {
		return nil // it was only meant for who sealed it
	}
	return text("<thinking>\n" + t.Text + "\n</thinking>")
}

var idPattern = lazyregexp.New(`^[a-zA-Z0-9_-]{1,64}$`)

// callID is an id that the API takes; other providers' may hold other characters. It is always the same for the same
// id.
func callID(id string) string {
	if idPattern.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

func result(r llm.ToolResult) (*sdk.ToolResultBlockParam, error) {
	out := &sdk.ToolResultBlockParam{ToolUseID: callID(r.CallID)}
	if r.Failed {
		out.IsError = param.NewOpt(true)
	}
	for _, p := range r.Parts {
		block, err := part(p, "")
		if err != nil {
			return nil, err
		}
		switch {
		case block == nil:
		case block.OfText != nil:
			out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfText: block.OfText})
		case block.OfImage != nil:
			out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfImage: block.OfImage})
		case block.OfDocument != nil:
			out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfDocument: block.OfDocument})
		default:
			return nil, llm.Fail(llm.CodeUnmappable, "{{provider}} doesn't accept a {{type}} as a tool result.", "Anthropic", fmt.Sprintf("%T", p))
		}
	}
	return out, nil
}

func image(mime string, data []byte) (*sdk.ImageBlockParam, error) {
	switch kind := sdk.Base64ImageSourceMediaType(mime); kind {
	case sdk.Base64ImageSourceMediaTypeImagePNG, sdk.Base64ImageSourceMediaTypeImageJPEG, sdk.Base64ImageSourceMediaTypeImageGIF, sdk.Base64ImageSourceMediaTypeImageWebP:
		source := &sdk.Base64ImageSourceParam{MediaType: kind, Data: base64.StdEncoding.EncodeToString(data)}
		return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: source}}, nil
	}
	return nil, llm.Fail(llm.CodeUnmappable, "Anthropic doesn't accept images of type {{type}}, only PNG, JPEG, GIF and WebP.", strconv.Quote(mime))
}

func document(f llm.File) (*sdk.DocumentBlockParam, error) {
	out := &sdk.DocumentBlockParam{}
	if f.Name != "" {
		out.Title = param.NewOpt(f.Name)
	}
	switch {
	case f.MIME == "application/pdf":
		out.Source.OfBase64 = &sdk.Base64PDFSourceParam{Data: base64.StdEncoding.EncodeToString(f.Data)}
	case strings.HasPrefix(f.MIME, "text/"), f.MIME == "application/json":
		out.Source.OfText = &sdk.PlainTextSourceParam{Data: strings.ToValidUTF8(string(f.Data), "\uFFFD")}
	default:
		return nil, llm.Fail(llm.CodeUnmappable, "Anthropic doesn't accept files of type {{type}} ({{name}}), only PDF, text and images.", strconv.Quote(f.MIME), f.Name)
	}
	return out, nil
}
