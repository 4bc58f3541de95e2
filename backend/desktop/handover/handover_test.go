package handover

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func ask(t *testing.T, a Address, header map[string]string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://weft/x?y=1", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := a.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

func TestHandoverNeedsTheKeyOfTheDataFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := Find(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without an owner: %v", err)
	}
	got := make(chan string, 3)
	s, err := Open(dir, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.RequestURI() + " " + string(body)
	}))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", info, err)
	}
	wrong := a
	wrong.Key = "guessed"
	if code := ask(t, wrong, nil); code != http.StatusForbidden {
		t.Errorf("with another key: %d", code)
	}
	if code := ask(t, a, map[string]string{"Origin": "http://evil.example"}); code != http.StatusForbidden {
		t.Errorf("from a page: %d", code)
	}
	if len(got) != 0 {
		t.Error("a refused request was served")
	}
	if code := ask(t, a, nil); code != http.StatusOK {
		t.Errorf("with the key: %d", code)
	} else if text := <-got; text != "/x?y=1 body" {
		t.Errorf("served: %q", text)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after its end: %v", err)
	}
}

func TestAddressOfAnotherMachineIsNotUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte(`{"url":"http://192.0.2.1:80","key":"k"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := Find(dir); err == nil {
		t.Errorf("%+v", a)
	}
}
