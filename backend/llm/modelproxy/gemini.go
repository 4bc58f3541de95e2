package modelproxy

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/partialargs"
	"weft/backend/llm"
)

// geminiReader reads the chunks of the Gemini API. Calls are complete unless their arguments are streamed.
func geminiReader(a *answer) func([]byte) error {
	var open *call // the call whose arguments are being streamed
	var args partialargs.Writer
	closeOpen := func() {
		if open != nil {
			open.add(args.Close())
			open.end(false)
			open = nil
		}
	}
	return func(data []byte) error {
		var e struct {
			Candidates []struct {
				Content struct {
					Parts []struct {
						Call *struct {
							ID      string              `json:"id"`
							Name    string              `json:"name"`
							Args    jsontext.Value      `json:"args"`
							Partial []partialargs.Piece `json:"partialArgs"`
							More    bool                `json:"willContinue"`
						} `json:"functionCall"`
					} `json:"parts"`
				} `json:"content"`
				Finish string `json:"finishReason"`
			} `json:"candidates"`
			Usage *struct {
				Prompt   int64 `json:"promptTokenCount"`
				Tools    int64 `json:"toolUsePromptTokenCount"`
				Cached   int64 `json:"cachedContentTokenCount"`
				Answer   int64 `json:"candidatesTokenCount"`
				Thoughts int64 `json:"thoughtsTokenCount"`
			} `json:"usageMetadata"`
			Model string `json:"modelVersion"`
		}
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		if e.Model != "" {
			a.model = e.Model
		}
		if u := e.Usage; u != nil { // totals so far
			a.usage = &llm.Usage{Input: u.Prompt + u.Tools, CacheRead: u.Cached, Output: u.Answer + u.Thoughts, Thinking: u.Thoughts}
		}
		if len(e.Candidates) == 0 {
			return nil
		}
		for _, p := range e.Candidates[0].Content.Parts {
			f := p.Call
			if f == nil {
				continue
			}
			if f.Name != "" || open == nil {
				closeOpen()
				c := a.begin(f.ID, f.Name)
				if !f.More && len(f.Partial) == 0 {
					c.add(string(f.Args))
					c.end(false)
					continue
				}
				open, args = c, partialargs.Writer{}
			}
			for _, piece := range f.Partial {
				fragment, err := args.Add(piece)
				if err != nil {
					return err
				}
				open.add(fragment)
			}
			if !f.More {
				closeOpen()
			}
		}
		if e.Candidates[0].Finish != "" {
			closeOpen()
			a.finish()
		}
		return nil
	}
}
