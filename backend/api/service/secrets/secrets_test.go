package secrets

import (
	"math/rand/v2"
	"strings"
	"testing"

	"weft/backend/settings/secret"
)

func keeper(t *testing.T, values ...string) *Keeper {
	t.Helper()
	hide := &secret.Redactor{}
	for _, value := range values {
		hide.Add(value)
	}
	return New(Options{Secrets: secret.Open(secret.Options{Dir: t.TempDir(), Redactor: hide})})
}

func TestTextsOfNotificationsHaveNoSecrets(t *testing.T) {
	const key = "sk-test-0123456789"
	k := keeper(t, key)
	for text, want := range map[string]string{
		"":                               "",
		"Run the tests":                  "Run the tests",
		"curl -H 'Key: " + key + "' x":   "curl -H 'Key: [secret]' x",
		"Robin needs permission: " + key: "Robin needs permission: [secret]",
		"curl -H 'Key: sk-test-01234":    "curl -H 'Key: …",
		key + " and sk-test-":            "[secret] and …",
		"sk-":                            "sk-", // too little to tell
		"Änderung an größe.go, 日本語, שלום": "Änderung an größe.go, 日本語, שלום",
	} {
		out, err := k.WithholdSecrets(t.Context(), Texts{Texts: []string{text, "x"}})
		if err != nil || len(out.Texts) != 2 || out.Texts[0] != want || out.Texts[1] != "x" {
			t.Errorf("%q: %q, %v; want %q", text, out.Texts, err, want)
		}
	}
	if got := keeper(t).Withhold("x " + key); got != "x "+key {
		t.Errorf("without known secrets: %q", got)
	}
}

// Wherever a title is cut, no more than three bytes of a secret are left of it.
func TestCutTextsHaveNoSecrets(t *testing.T) {
	r := rand.New(rand.NewPCG(59, 1))
	letters := []rune("abcdefgäß日-_ 0123456789\"\\\n")
	word := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	for range 2000 {
		value := "Q" + word(8+r.IntN(60))
		k := keeper(t, value)
		text := word(r.IntN(20)) + value + word(r.IntN(20))
		cut := text[:r.IntN(len(text)+1)]
		got := k.Withhold(cut)
		for n := 4; n <= len(value); n++ {
			if strings.Contains(got, value[:n]) && strings.Contains(cut, value[:n]) {
				t.Fatalf("%q of %q is left in %q", value[:n], value, got)
			}
		}
	}
}
