package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"weft/backend/llm"
)

// server is who is asked: where it is, and what its errors say.
type server struct {
	end      llm.Endpoint
	url      string
	host     string
	official bool // it is OpenAI's own
	key      string
	now      func() time.Time
}

func newServer(opt llm.Options) *server {
	s := &server{end: llm.Endpoint{Provider: "OpenAI", URL: opt.BaseURL, KeyFrom: opt.KeyFrom}, url: opt.BaseURL, key: opt.Key, now: opt.Now}
	if u, err := url.Parse(opt.BaseURL); err == nil {
		s.host = u.Host
	}
	s.official = s.host == "api.openai.com"
	if !s.official && s.host != "" {
		s.end.Provider = s.host
	}
	return s
}

// ready returns why the server can't be asked, nil if it can.
func (s *server) ready() error {
	if u, err := url.Parse(s.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return llm.Fail(llm.CodeUnreachable, "The base URL of {{provider}} isn't an address such as {{example}}.", s.end.Provider, "https://example.com/v1")
	}
	if s.official && s.key == "" {
		return s.end.NoKey()
	}
	return nil
}

// maxError bounds what is read of an error's body.
const maxError = 1 << 20

// refuse turns every answer that is not a success into an error, before the SDK reads it: its own reading has no
// bound and gives up the status where the body is not in OpenAI's form.
func (s *server) refuse(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode < http.StatusMultipleChoices {
		return res, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	if err != nil && len(body) == 0 {
		return nil, err
	}
	return nil, s.statusError(res.StatusCode, res.Header, body)
}

// statusError is the error of an answer that is not a success, with what the server says and without the key.
func (s *server) statusError(status int, header http.Header, body []byte) *llm.Error {
	said := spoken(body)
	if s.key != "" {
		said = strings.ReplaceAll(said, s.key, "[key]")
	}
	return s.end.StatusError(status, header, said, s.now(), nil)
}

// streamError is the error that a stream ends with. A server says in words what would have been the status.
func (s *server) streamError(body []byte) *llm.Error {
	told := readSaid(body)
	var status int
	if json.Unmarshal(told.Code, &status) != nil || status < 400 || status > 599 {
		status = statusOf(told.code() + " " + told.Type)
	}
	return s.statusError(status, nil, body)
}

// cannotCarry is the error for what there is no form for.
func (s *server) cannotCarry(what string) *llm.Error {
	return llm.Fail(llm.CodeUnmappable, "{{provider}} doesn't accept {{what}}. Nothing was sent.", s.end.Provider, what)
}

// imageURL is an image as a URL that holds it. Only some types can be sent.
func (s *server) imageURL(p llm.Image) (string, error) {
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, p.MIME) {
		return "", s.cannotCarry("a picture of the type " + p.MIME)
	}
	return dataURL(p.MIME, p.Data), nil
}
