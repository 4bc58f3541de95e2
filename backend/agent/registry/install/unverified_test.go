package install

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestDownloadWithoutChecksumWaitsForTheUser(t *testing.T) {
	data := gz(tarOf(t, agentItem))
	var served atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			served.Add(1)
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
	}))
	defer server.Close()
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Answers: filepath.Join(t.TempDir(), "answers")})
	target := binaryAt(server.URL + "/a.tar.gz")
	answer, asked := false, []Question{}
	ask := func(_ context.Context, q Question) (bool, error) {
		asked = append(asked, q)
		return answer, nil
	}
	_, err := in.Install(t.Context(), entryA, target, true, quiet, ask)
	mustFail(t, err, CodeCancelled, "canceled")
	empty(t, in)
	if n := served.Load(); n != 0 || len(asked) != 1 {
		t.Fatalf("%d downloads before the answer, asked %d times", n, len(asked))
	}
	q := asked[0]
	if q.Code != CodeUnverified || q.Host != "127.0.0.1" || q.Address != target.Archive || q.Bytes != int64(len(data)) || !strings.Contains(q.Message, "from 127.0.0.1 (116 B) can't be verified") {
		t.Errorf("%+v", q)
	}

	// After a no, Weft asks again; a yes is stored for this version and this download.
	answer = true
	r, err := in.Install(t.Context(), entryA, target, true, quiet, ask)
	if err != nil || len(r.SHA256) != 64 || r.Vouched || len(asked) != 2 {
		t.Fatalf("%+v, %v, asked %d times", r, err, len(asked))
	}
	if _, err := in.Install(t.Context(), entryA, target, true, quiet, ask); err != nil || len(asked) != 2 {
		t.Fatalf("%v, asked %d times", err, len(asked))
	}
	data = gz(tarOf(t, agentItem, item{name: "other", body: "x"}))
	_, err = in.Install(t.Context(), entryA, target, true, quiet, ask)
	mustFail(t, err, CodeChecksum, "SHA-256 that you confirmed: "+r.SHA256)
	if _, err := in.Install(t.Context(), entryA, target, true, quiet, ask); err != nil || len(asked) != 3 {
		t.Fatalf("after a change: %v, asked %d times", err, len(asked))
	}
	next := entryA
	next.Version = "1.1.0"
	if _, err := in.Install(t.Context(), next, target, true, quiet, ask); err != nil || len(asked) != 4 || asked[3].Token == q.Token {
		t.Fatalf("another version: %v, asked %d times", err, len(asked))
	}
	target.SHA256 = strings.Repeat("0", 64)
	_, err = in.Install(t.Context(), entryA, target, true, quiet, ask)
	mustFail(t, err, CodeChecksum, "registry")
	if len(asked) != 4 {
		t.Error("asked about a download with a checksum")
	}
}
