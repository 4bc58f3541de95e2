//go:build linux

package systemtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/files"
	"weft/backend/conversation/transcript"
	"weft/backend/files/finder"
	"weft/backend/space/runs"
)

func init() { addScript("takes", takes) }

// takes has the prompt capabilities that it is started with and tells the test what blocks it got.
// It waits for the test where the text says so, and fails where it says that.
func takes(a *scripted) {
	a.initialize(`{"promptCapabilities":` + a.args[0] + `}`)
	a.respond(a.method("session/new").ID, `{"sessionId":"s1"}`)
	for {
		m := a.method("session/prompt")
		a.turn = m.ID
		var p struct {
			Params struct {
				Prompt []struct {
					Type, Text, Data, MimeType, URI, Name string
					Size                                  *int
					Resource                              struct{ URI, MimeType, Text string }
				} `json:"prompt"`
			} `json:"params"`
		}
		if err := json.Unmarshal([]byte(m.line), &p); err != nil {
			a.tell(err.Error())
		}
		var got []string
		for _, b := range p.Params.Prompt {
			switch b.Type {
			case "text":
				got = append(got, "text "+b.Text)
			case "image", "audio":
				data, _ := base64.StdEncoding.DecodeString(b.Data)
				got = append(got, fmt.Sprintf("%s %s %d", b.Type, b.MimeType, len(data)))
			case "resource":
				got = append(got, fmt.Sprintf("resource %s %q", ending(b.Resource.URI), b.Resource.Text))
			case "resource_link":
				size := "-"
				if b.Size != nil {
					size = fmt.Sprint(*b.Size)
				}
				got = append(got, fmt.Sprintf("link %s %s %s", b.Name, ending(b.URI), size))
			default:
				got = append(got, b.Type)
			}
		}
		a.tell(strings.Join(got, " | "))
		switch text := m.text(); {
		case strings.Contains(text, "wait"):
			a.await()
		case strings.Contains(text, "fail"):
			a.refuse(a.turn, -32603, "out of thread")
			continue
		}
		// As agents do that repeat what they were told.
		for range p.Params.Prompt[1:] {
			a.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"image","mimeType":"image/png","data":"AAAA"}}`)
		}
		a.say("seen")
		a.end("end_turn")
	}
}

// ending is an address from its scheme and its last two parts.
func ending(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "://")
	parts := strings.Split(strings.TrimPrefix(rest, "/"), "/")
	return scheme + ":" + strings.Join(parts[max(0, len(parts)-2):], "/")
}

func pngOf(t testing.TB, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// upload hands in data as an attachment.
func (r *room) upload(t testing.TB, name, data string) (conversation.Attachment, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.Base+"/api/spaces/"+r.id+"/uploads?name="+url.QueryEscape(name), strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Key)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		e := &refusal{Status: res.StatusCode}
		if err := json.Unmarshal(raw, e); err != nil {
			t.Fatalf("the upload answered %d: %s", res.StatusCode, raw)
		}
		sentence(t, e.Message)
		return conversation.Attachment{}, e
	}
	var a conversation.Attachment
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	return a, nil
}

func (r *room) attach(t testing.TB, name, data string) conversation.PromptPart {
	t.Helper()
	a, err := r.upload(t, name, data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return conversation.PromptPart{Hash: a.Hash, Path: a.Path, Name: a.Name}
}

func (r *room) write(t testing.TB, name, text string) {
	t.Helper()
	p := filepath.Join(r.folder, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (r *room) sendParts(t testing.TB, text string, parts ...conversation.PromptPart) conversation.SendPromptResult {
	t.Helper()
	var res conversation.SendPromptResult
	r.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: text, Parts: parts}, &res)
	return res
}

// along is what the last message of the user shows besides its text.
func (r *room) along(t testing.TB) string {
	t.Helper()
	conv, err := r.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Backward(conv.Messages) {
		if m.Role != "user" {
			continue
		}
		var out []string
		for _, s := range m.Segments {
			if d := s.Display; d != nil {
				size := int64(-1)
				if d.Ref != nil {
					body := r.blob(t, d.Ref.Hash)
					size = int64(len(body))
				}
				out = append(out, fmt.Sprintf("%s %s%s %d", d.Type, d.Path, d.Name, size))
			}
		}
		return strings.Join(out, " | ")
	}
	return ""
}

func TestPromptIsSentInASupportedForm(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	pic := pngOf(t, 3)
	for caps, want := range map[string]string{
		`{}`:                       `text look at @src/a.go | link src/a.go file:src/a.go 4 | link src/ file:src/ - | link big.txt file:*/big.txt 300000`,
		`{"embeddedContext":true}`: `text look at @src/a.go | resource file:src/a.go "go!\n" | link src/ file:src/ - | link big.txt file:*/big.txt 300000`,
	} {
		r := a.scripted(t, "takes", caps)
		r.write(t, "src/a.go", "go!\n")
		r.write(t, "big.txt", strings.Repeat("x", 300_000))
		r.sendParts(t, "look at @src/a.go", conversation.PromptPart{Path: "src/a.go"}, conversation.PromptPart{Path: "src"}, conversation.PromptPart{Path: "big.txt"})
		if got := strings.ReplaceAll(r.ctl.hear(t), filepath.Base(r.folder)+"/", "*/"); got != want {
			t.Errorf("%s: the agent got\n%s\nwant\n%s", caps, got, want)
		}
		r.ended(t, "end_turn")
		if got := r.along(t); got != "resource_link src/a.go -1 | resource_link src/ -1 | resource_link big.txt -1" {
			t.Errorf("the message shows %s", got)
		}
		// What it cannot take is refused before it is sent, and nothing is left behind.
		for name, data := range map[string]string{"p.png": pic, "s.mp3": "ID3\x04\x00\x00\x00\x00"} {
			a.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: "see", Parts: []conversation.PromptPart{r.attach(t, name, data)}}, "unsupported")
		}
		r.kept(t)
	}
	r := a.scripted(t, "takes", `{"image":true,"audio":true,"embeddedContext":true}`)
	r.sendParts(t, "", r.attach(t, "p.png", pic), r.attach(t, "s.mp3", "ID3\x04\x00\x00\x00\x00"), r.attach(t, "notes.txt", "remember\n"))
	r.ctl.expect(t, fmt.Sprintf(`image image/png %d | audio audio/mpeg 8 | resource attachment:notes.txt "remember\n"`, len(pic)))
	r.ended(t, "end_turn")
	if got, want := r.along(t), fmt.Sprintf("image p.png %d | audio s.mp3 8 | resource notes.txt 9", len(pic)); got != want {
		t.Errorf("the message shows %s, want %s", got, want)
	}
	r.st.now(func(v *seen) {
		if said := dump(v.conv.Messages); strings.Count(said, "seen") != 1 || strings.Contains(said, "AAAA") {
			t.Errorf("what the agent repeated is shown:\n%s", said)
		}
	})
	r.check(t)
}

func TestPartsOutliveQueueRetryAndRestarts(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	a := launch(t, home)
	r := a.scripted(t, "takes", `{"image":true,"embeddedContext":true}`)
	one, two, left := pngOf(t, 3), pngOf(t, 5), pngOf(t, 7)
	r.write(t, "a.txt", "a\n")
	r.write(t, "gone.txt", "gone\n")
	r.sendParts(t, "wait", r.attach(t, "one.png", one))
	r.ctl.expect(t, fmt.Sprintf("text wait | image image/png %d", len(one)))
	for _, text := range []string{"second", "third"} {
		if res := r.sendParts(t, text, r.attach(t, "two.png", two), conversation.PromptPart{Path: "a.txt"}, conversation.PromptPart{Path: "gone.txt"}); !res.Queued {
			t.Fatal("the prompt was not queued")
		}
	}
	unsent := r.attach(t, "left.png", left)
	var snap conversation.Snapshot
	a.do(t, "OpenSpace", r.ref(), &snap)
	var queue []struct{ ID string }
	if err := json.Unmarshal(snap.State["queue"], &queue); err != nil || len(queue) != 2 {
		t.Fatalf("the queue is %s", snap.State["queue"])
	}
	a.do(t, "EditQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: queue[0].ID, Text: "fail"}, nil)

	// The queue outlives the app, with all that goes along; what was never sent does not.
	a.kill()
	a = launch(t, home)
	if err := os.Remove(filepath.Join(r.folder, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	again := a.reenter(t, r.folder, r.id)
	again.ctl = r.ctl
	t.Cleanup(again.st.close)
	a.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Parts: []conversation.PromptPart{unsent}}, "not_found")
	a.do(t, "SendQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: queue[0].ID}, nil)
	want := fmt.Sprintf(`image image/png %d | resource file:%s/a.txt "a\n"`, len(two), filepath.Base(r.folder))
	again.ctl.expect(t, "text fail | "+want)
	again.ended(t, "error")
	again.st.now(func(v *seen) {
		if said := dump(v.conv.Messages); !strings.Contains(said, "gone.txt no longer existed") {
			t.Errorf("nobody is told of the file that has gone:\n%s", said)
		}
	})
	// A retry sends the same once more.
	again.st.reset()
	a.do(t, "RetryRun", again.ref(), nil)
	again.ctl.expect(t, "text fail | "+want)
	again.ended(t, "error")
	if got := again.along(t); got != fmt.Sprintf("image two.png %d | resource_link a.txt -1 | resource_link gone.txt -1", len(two)) {
		t.Errorf("the message shows %s", got)
	}
	// With the space its blobs go.
	a.do(t, "DeleteSpace", again.ref(), nil)
	a.stop(t)
}

// An agent that cannot continue its session is told once more what it was asked, with all of it.
func TestRestartAndContinueKeepsParts(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "takes", `{"image":true}`)
	pic := pngOf(t, 3)
	r.write(t, "a.txt", "a\n")
	said := fmt.Sprintf("look | image image/png %d | link a.txt file:%s/a.txt 2", len(pic), filepath.Base(r.folder))
	r.sendParts(t, "look", r.attach(t, "p.png", pic), conversation.PromptPart{Path: "a.txt"})
	r.ctl.expect(t, "text "+said)
	r.ended(t, "end_turn")
	r.st.reset()
	a.do(t, "RestartAgent", r.ref(), nil)
	// Before it is what was said, since a new session knows nothing.
	got := ""
	for !strings.Contains(got, said) {
		got += r.ctl.hear(t)
	}
	if !strings.HasPrefix(got, "text "+transcript.PreludeOpening) || !strings.HasSuffix(got, transcript.PreludeEnd+" | text "+runs.ContinuePrompt+said) {
		t.Errorf("after a restart the agent got %s", got)
	}
	r.ended(t, "end_turn")
	r.st.now(func(v *seen) {
		if said := dump(v.conv.Messages); !strings.Contains(said, "Your previous prompt was sent again") {
			t.Errorf("the user is not told:\n%s", said)
		}
	})
	r.check(t)
}

func TestHostileAttachments(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "takes", `{"image":true,"embeddedContext":true}`)
	r.write(t, "two\nlines\u202e.txt", "strange\n")
	r.write(t, "docs/paper.pdf", "%PDF-1.7\x00\xff")
	for name, c := range map[string]struct{ data, code string }{
		"empty.png":  {"", "empty"},
		"page.png":   {"<!doctype html><script>alert(1)</script>", "not_image"},
		"huge.png":   {pngOf(t, 3) + strings.Repeat("\x00", 10<<20), "too_large"},
		"huge.bin":   {strings.Repeat("\x00", 20<<20+2), "too_large"},
		"report.pdf": {"%PDF-1.7\x00\xff\xfe", "not_text"},
		"long.txt":   {strings.Repeat("word ", 60_000), "too_large"},
	} {
		var e *refusal
		if _, err := r.upload(t, name, c.data); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	// A drawing that may hold a script is text, and is never served as anything else.
	svg := r.attach(t, "drawing.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
	if _, header := a.served(t, svg.Hash); !strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		t.Errorf("an SVG is served as %s", header.Get("Content-Type"))
	}
	// What lies in the folder, too, is mentioned there.
	if part := r.attach(t, "paper.pdf", "%PDF-1.7\x00\xff"); part.Path != "docs/paper.pdf" || part.Hash != "" {
		t.Errorf("a file of the folder: %+v", part)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(r.folder, "out")); err != nil {
		t.Fatal(err)
	}
	for part, code := range map[conversation.PromptPart]string{
		{Path: "out/"}: "outside", {Path: "out/secret"}: "outside", {Path: "../"}: "outside", {Path: outside}: "invalid", {Path: "nothing.txt"}: "not_found",
		{}: "invalid", {Path: strings.Repeat("x", 2000)}: "invalid", {Hash: strings.Repeat("0", 64), Name: "a"}: "not_found",
	} {
		a.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: "see", Parts: []conversation.PromptPart{part}}, code)
	}
	pic := r.attach(t, "p.png", pngOf(t, 3))
	a.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Parts: slices.Repeat([]conversation.PromptPart{pic}, 200)}, "invalid")
	large := r.attach(t, "l.png", pngOf(t, 3)+strings.Repeat("\x00", 9<<20))
	a.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Parts: slices.Repeat([]conversation.PromptPart{large}, 3)}, "too_large")
	a.refused(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: " "}, "invalid")

	// Names that would break a line or turn it around.
	var found finder.Result
	a.do(t, "FindFiles", files.FindFilesRequest{SpaceID: r.id, Query: "lines", Limit: 5}, &found)
	if len(found.Files) != 1 || found.Files[0].Path != "two\nlines\u202e.txt" {
		t.Fatalf("found %+v", found)
	}
	r.sendParts(t, "see", conversation.PromptPart{Path: found.Files[0].Path}, r.attach(t, "a\nb.txt", "named\n"))
	if got := r.ctl.hear(t); !strings.Contains(got, `"strange\n"`) || !strings.Contains(got, `attachment:a%20b.txt "named\n"`) {
		t.Errorf("the agent got %s", got)
	}
	r.ended(t, "end_turn")
	r.check(t)
	if left, _ := filepath.Glob(filepath.Join(a.home, "data", "upload-*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}
