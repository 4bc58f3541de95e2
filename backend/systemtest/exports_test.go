//go:build linux

package systemtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"weft/backend/api/httpapi"
	"weft/backend/api/service/interchange"
	"weft/backend/conversation/transcript"
)

var exportFormats = []string{"md", "html", "json", "jsonl"}

// export exports a space over HTTP. torn says that the file ended early, and the client can see that.
func (r *room) export(format string) (file []byte, torn bool, err error) {
	req, err := http.NewRequest(http.MethodGet, r.Base+strings.Replace(httpapi.ExportPath, "{id}", r.id, 1)+"?format="+format, nil) //nolint:noctx // the app ends
	if err != nil {
		return nil, false, err
	}
	req.Header.Set("Authorization", "Bearer "+r.Key)
	answer, err := client.Do(req)
	if err != nil {
		return nil, false, err
	}
	defer answer.Body.Close()
	file, err = io.ReadAll(answer.Body)
	if err != nil {
		return file, true, nil
	}
	if answer.StatusCode != http.StatusOK {
		e := &refusal{Status: answer.StatusCode}
		return nil, false, errors.Join(json.Unmarshal(file, e), e)
	}
	var result interchange.ExportResult
	if err := json.Unmarshal([]byte(answer.Trailer.Get(httpapi.ExportTrailer)), &result); err != nil || result.Bytes != int64(len(file)) {
		return file, false, fmt.Errorf("the file has %d bytes, and its result is %+v, %w", len(file), result, err)
	}
	return file, false, nil
}

var countedPiece = regexp.MustCompile(`space-(\d+);`)

// wholeExport checks that a file has the beginning of what counts has said, at least some pieces, that documents are imported, and that events make a
// conversation. It returns how many pieces there are.
func wholeExport(t *testing.T, format string, file []byte, least int, ended bool) int {
	t.Helper()
	text := file
	if format == "jsonl" {
		conv := &transcript.Conversation{State: map[transcript.StateKey]transcript.State{}}
		for line := range bytes.Lines(file) {
			if bytes.HasPrefix(line, []byte(`{"type":"export"`)) || bytes.HasPrefix(line, []byte(`{"type":"space"`)) {
				continue
			}
			e, err := transcript.ParseEvent(bytes.TrimSpace(line))
			if err == nil {
				err = conv.Apply(&e)
			}
			if err != nil {
				t.Fatalf("%s: %.200q: %v", format, line, err)
			}
		}
		text = nil
		for _, m := range conv.Messages {
			text = append(text, m.Content()...)
		}
	}
	n := 0
	for _, piece := range countedPiece.FindAllSubmatch(text, -1) {
		if string(piece[1]) != strconv.Itoa(n) {
			t.Errorf("%s: piece %s comes after piece %d", format, piece[1], n-1)
			break
		}
		n++
	}
	if n < least {
		t.Errorf("%s has %d pieces, and %d were stored before", format, n, least)
	}
	if format == "json" {
		importsAgain(t, file, ended)
	}
	return n
}

// importsAgain checks that a document is imported whole, and that one of what has ended is the same again then. An import ends what has not.
func importsAgain(t *testing.T, file []byte, ended bool) {
	t.Helper()
	dir, settings := t.TempDir(), t.TempDir()+"/settings.json"
	im, err := interchange.OpenImporter(t.Context(), interchange.Options{DataDir: dir, SettingsPath: settings, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	report, err := im.File(t.Context(), "export.json", bytes.NewReader(file), false)
	if err := errors.Join(err, im.Close(t.Context())); err != nil || report.Imported != 1 || report.Refused != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	x, closing, err := interchange.OpenExports(t.Context(), interchange.Options{DataDir: dir, SettingsPath: settings, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	list, err := x.List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	p, err := x.Prepare(t.Context(), interchange.ExportRequest{Format: "json", SpaceID: list[0].ID, Thoughts: true}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, err = p.Write(t.Context(), &out)
	if err := errors.Join(err, closing(t.Context())); err != nil {
		t.Fatal(err)
	}
	want, got := file, out.Bytes()
	if !ended {
		if a, b := len(countedPiece.FindAll(want, -1)), len(countedPiece.FindAll(got, -1)); a != b {
			t.Errorf("a document with %d pieces has %d of them once it was imported", a, b)
		}
		return
	}
	if !bytes.Equal(want, got) {
		at := 0
		for at < min(len(want), len(got)) && want[at] == got[at] {
			at++
		}
		t.Errorf("imported and exported again it differs at byte %d of %d:\n%.300q\n%.300q", at, len(want), want[max(0, at-100):], got[max(0, at-100):])
	}
}

// TestExportsWhileASpaceStreams exports again and again while an agent streams, with calls in between: each file is whole in itself.
func TestExportsWhileASpaceStreams(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	const chunks = 4000
	r := a.scripted(t, "counts", strconv.Itoa(chunks), "20")
	r.st.reset()
	r.send(t, "space")
	r.ctl.expect(t, "half")
	r.st.until(t, "the half of it arrives", func(v *seen) bool {
		return strings.Contains(v.message().Content(), fmt.Sprintf("space-%d;", chunks/2-2))
	})
	r.ctl.say(t, "go")
	done := make(chan struct{})
	go func() { defer close(done); r.ctl.expect(t, "done") }()
	least := map[string]int{}
	for over := false; !over; {
		select {
		case <-done:
			r.ended(t, "end_turn")
			over = true
		default:
		}
		for _, format := range exportFormats {
			file, torn, err := r.export(format)
			if err != nil || torn {
				t.Fatalf("%s: torn: %v, %v", format, torn, err)
			}
			want := max(least[format], chunks/2-100)
			if over {
				want = chunks
			}
			least[format] = wholeExport(t, format, file, want, over)
		}
	}
	r.check(t)
}

// TestExportsOnAFullDisk exports while what an agent streams can't be stored: a file is whole, or is refused with a sentence.
func TestExportsOnAFullDisk(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	const chunks = 2000
	r := a.scripted(t, "counts", strconv.Itoa(chunks), "20")
	r.st.reset()
	r.send(t, "space")
	r.ctl.expect(t, "half")
	a.grow(t, 1024)
	r.ctl.say(t, "go")
	for range 3 {
		for _, format := range exportFormats {
			file, torn, err := r.export(format)
			switch {
			case torn:
			case err != nil:
				notSaved(t, "an export as "+format, err)
			default:
				wholeExport(t, format, file, 0, false)
			}
		}
	}
	a.grow(t, unix.RLIM_INFINITY)
	r.ctl.expect(t, "done")
	r.ended(t, "end_turn")
	for _, format := range exportFormats {
		file, torn, err := r.export(format)
		if err != nil || torn {
			t.Fatalf("%s: torn: %v, %v", format, torn, err)
		}
		wholeExport(t, format, file, chunks, true)
	}
	r.check(t)
}
