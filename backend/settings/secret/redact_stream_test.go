package secret

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However a text is cut into pieces, no secret of it comes through, nothing else is lost, and only the beginning of a
// secret waits.
func TestStreamHidesSecretsCutInPieces(t *testing.T) {
	values := []string{"sk-ant-api03-AAAA", "sk-ant-api03-AAAABBBB", "pass word/1", "日本語の鍵", "aaaaaaaaab", "-----KEY\nabc\n-----"}
	rapid.Check(t, func(t *rapid.T) {
		r := &Redactor{}
		for _, v := range values {
			r.Add(v)
		}
		pieces := rapid.SliceOfN(rapid.SampledFrom(append([]string{"a", "sk-", "sk-ant-api03-", "pass ", "\n", "ok ", "-----", "日本", "AAAA"}, values...)), 0, 40).Draw(t, "pieces")
		whole := strings.Join(pieces, "")
		s := r.Stream()
		var out strings.Builder
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			out.Write(s.Next([]byte(rest[:n])))
			rest = rest[n:]
			if len(s.held) > 0 && r.printed.at(append(bytes.Clone(s.seen), s.held...)) == nil {
				t.Fatalf("%q is held, which no secret begins with", s.held)
			}
		}
		out.Write(s.End())
		got := out.String()
		for _, v := range values {
			if strings.Contains(got, v) {
				t.Fatalf("%q came through: %q", v, got)
			}
		}
		// Up to 3 bytes of a secret may have gone through before it could be known.
		if want := string(r.Printed([]byte(whole))); !sameButForHeads(want, got) {
			t.Fatalf("in pieces: %q\nat once: %q", got, want)
		}
	})
}

// sameButForHeads reports whether got is want with at most 3 more bytes before each mark.
func sameButForHeads(want, got string) bool {
	w, g := strings.Split(want, Hidden), strings.Split(got, Hidden)
	if len(w) != len(g) {
		return false
	}
	for i := range w {
		if i == len(w)-1 {
			return w[i] == g[i]
		}
		if !strings.HasPrefix(g[i], w[i]) || len(g[i])-len(w[i]) >= shortest {
			return false
		}
	}
	return true
}

func TestStreamPassesOtherTextImmediately(t *testing.T) {
	r := &Redactor{}
	r.Add("sk-ant-api03-AAAA")
	s := r.Stream()
	for _, text := range []string{"plain", " and ", "sk", "-", "then\n"} {
		if got := string(s.Next([]byte(text))); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := string(s.Next([]byte("x sk-an"))); got != "x " {
		t.Errorf("%q", got)
	}
	if got := string(s.End()); got != "sk-an" {
		t.Errorf("what was held came as %q", got)
	}
}

func TestARemovedSecretIsForgotten(t *testing.T) {
	r := &Redactor{}
	r.Add("token-number-one")
	r.Add("token-number-one")
	r.Remove("token-number-one")
	if got := r.Text("a token-number-one b"); got != "a "+Hidden+" b" {
		t.Errorf("one of two: %q", got)
	}
	r.Remove("token-number-one")
	r.Remove("token-number-one") // one too many
	if got := r.Text("a token-number-one b"); got != "a token-number-one b" {
		t.Errorf("%q", got)
	}
	if len(r.all.count)+len(r.all.begin) > 0 {
		t.Errorf("it still has %v", r.all.count)
	}
	for i, n := range r.all.pairs {
		if n != 0 {
			t.Errorf("pair %x is counted", i)
		}
		if r.all.bits[i/64]>>(i%64)&1 != 0 {
			t.Errorf("pair %x is marked", i)
		}
	}
}

func TestShortSecretsAreNotHiddenInOutput(t *testing.T) {
	r := &Redactor{}
	r.Add("test")
	r.Add("longer-1")
	if got := r.PrintedText("test of longer-1"); got != "test of "+Hidden {
		t.Errorf("%q", got)
	}
	if got := r.Text("test of longer-1"); got != Hidden+" of "+Hidden {
		t.Errorf("%q", got)
	}
}

// A secret within a longer text that is in base64 is found wherever it begins, but for the characters that it shares with its neighbors.
func TestSecretsWithinBase64AreHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[!-~]{8,40}`).Draw(t, "value")
		r := &Redactor{}
		r.Add(value)
		before, after := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "before"), rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "after")
		whole := append(append(before, value...), after...)
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			got := r.PrintedText(e.EncodeToString(whole))
			if !strings.Contains(got, Hidden) {
				t.Fatalf("%q is in %q", value, got)
			}
		}
	})
}

func TestSecretVariablesAreRecognized(t *testing.T) {
	for _, name := range strings.Fields("ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY GITHUB_TOKEN gh_token AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN NPM_TOKEN MY_SECRET DB_PASSWORD PGPASSWORD HF_TOKEN CI_JOB_TOKEN AZURE_OPENAI_KEY WEFT_GATEWAY_TOKEN GITHUB_PAT") {
		if !Variable(name) {
			t.Errorf("%s is none", name)
		}
	}
	for _, name := range strings.Fields("PATH HOME SHELL LANG SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY DISPLAY XDG_RUNTIME_DIR AWS_PROFILE AWS_REGION GOPATH NODE_OPTIONS GOOGLE_APPLICATION_CREDENTIALS HTTP_PROXY DATABASE_URL TERM EDITOR KEYBOARD_KEY TOKENIZERS_PARALLELISM PWD OLDPWD") {
		if Variable(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
	r := &Redactor{}
	r.Add("value-of-a-key-1")
	plain, secrets := Split([]string{"PATH=/bin", "OPENAI_API_KEY=x", "OTHER=value-of-a-key-1", "EMPTY_TOKEN="}, r)
	if got := strings.Join(plain, " "); got != "PATH=/bin EMPTY_TOKEN=" || len(secrets) != 2 {
		t.Errorf("%q, %q", plain, secrets)
	}
}

// The cost of a line stays the same, however many sessions have had a token.
func BenchmarkRedactLine(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"The quick brown fox jumps over the lazy dog."}}}}`)
	for _, n := range []int{1, 10, 100, 1000, 10000} {
		b.Run(fmt.Sprintf("%d secrets", n), func(b *testing.B) {
			r := &Redactor{}
			random := rand.New(rand.NewPCG(1, 2))
			for range n {
				r.Add(fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64()))
			}
			b.SetBytes(int64(len(line)))
			b.ResetTimer()
			for b.Loop() {
				r.Bytes(line)
			}
		})
	}
}
