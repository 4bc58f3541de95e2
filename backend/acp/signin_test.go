package acp

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestErrorThatAsksForSignIn reads errors with the code of a sign-in that agents answer, and others that JSON-RPC libraries give this code.
func TestErrorThatAsksForSignIn(t *testing.T) {
	t.Parallel()
	const no, may, asks = 0, 1, 2
	for _, c := range []struct {
		message, data string
		without, with int // of an agent that has told no ways to sign in, or some
	}{
		{"Authentication required", "", asks, asks},
		{"Authentication required: Configure an API key or log in with an OAuth provider.", `{"authMethods":[{"id":"a"}]}`, asks, asks},
		{"Authentication required: This integration does not support using claude.ai subscriptions.", "", asks, asks},
		{"Sign in with an API key or a Console account to use this integration.", "", asks, asks},
		{"Please run `robin login`", "", asks, asks},
		{"Not logged in", "", asks, asks},
		{"You are logged out.", "", asks, asks},
		{"Please log in.", "", asks, asks},
		{"Log in first", "", asks, asks},
		{"401 Unauthorized", "", asks, asks},
		{"Invalid API key", "", asks, asks},
		{"Your access token has expired", "", asks, asks},
		{"auth_required", "", asks, asks},
		{"请先登录", "", asks, asks},
		{"サインインしてください", "", asks, asks},
		{"Sie sind nicht angemeldet", "", asks, asks},
		{"Inicie sesión", "", asks, asks},
		{"Internal error", `{"details":"Not authenticated"}`, asks, asks},
		{"Internal error", `{"reason":"login_required"}`, asks, asks},
		{"", `{"authMethods":[{"id":"a"}]}`, asks, asks},
		{"", "", no, asks},
		{"Server error", "", no, asks},
		{"Session expired", "", no, may},
		{"Something is wrong with the account", "", no, may},
		{"see the log in /tmp/robin.log", "", no, may},
		{"Rate limit exceeded, retry in 20 s", "", no, no},
		{"rate_limit_exceeded", "", no, no},
		{"Too many requests", "", no, no},
		{"You have exceeded your quota for this API key", "", no, no},
		{"The model is overloaded", "", no, no},
		{"Session not found", "", no, no},
		{"Unknown session kept", "", no, no},
		{"mcpServers are not supported", "", no, no},
		{"Request timed out", "", no, no},
		{"connect ECONNREFUSED 127.0.0.1:1", "", no, no},
		{"ENOENT: no such file or directory", "", no, no},
		{"Internal error", `{"details":"503 Service unavailable"}`, no, no},
		{"Session not found, please log in", "", may, may},
		{"Too many failed logins, try again later", "", no, no},
		{"Authentication service unavailable", "", may, may},
	} {
		for offers, want := range map[bool]int{false: c.without, true: c.with} {
			e := &RPCError{Code: CodeAuthRequired, Message: c.message, Data: jsontext.Value(c.data), Offers: offers}
			if got := readsAs(e); got != want {
				t.Errorf("%q %s, offers %v: %d, want %d", c.message, c.data, offers, got, want)
			}
			e.Code = CodeInternal
			if readsAs(e) != no {
				t.Errorf("%q asks for a sign-in with another code", c.message)
			}
		}
	}
}

func readsAs(e *RPCError) int {
	switch is := errors.Is(e, ErrAuthRequired); {
	case e.AsksForSignIn() && !is:
		return -1
	case e.AsksForSignIn():
		return 2
	case is:
		return 1
	}
	return 0
}

// TestWrappedErrorReadsTheSame puts what programs put around an error around it.
func TestWrappedErrorReadsTheSame(t *testing.T) {
	t.Parallel()
	about := []struct {
		words string
		want  int
	}{{"please sign in", 2}, {"authentication failed", 2}, {"not logged in", 2}, {"rate limit exceeded", 0}, {"quota exceeded", 0}, {"session not found", 0}, {"disk full", 1}}
	before := []string{"", "Error: ", "Internal error: ", "Request failed: ", "[robin] ", "RpcError(-32000): ", "\x1b[31m"}
	after := []string{"", ".", "!", " (code 7)", "\n    at main.js:3:4", " – see https://robin.example/help", "\x1b[0m"}
	of := []func(string) string{strings.ToLower, strings.ToUpper, func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }, func(s string) string { return strings.ReplaceAll(s, " ", "  ") }}
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		one := about[rnd.IntN(len(about))]
		words := before[rnd.IntN(len(before))] + of[rnd.IntN(len(of))](one.words) + after[rnd.IntN(len(after))]
		e := &RPCError{Code: CodeAuthRequired, Message: words, Offers: true}
		if rnd.IntN(3) == 0 {
			e.Message, e.Data = "Internal error", jsontext.Value(`{"details":`+quoted(words)+`}`)
		}
		if got := readsAs(e); got != one.want {
			t.Fatalf("seed %d: %q: %d, want %d", seed, words, got, one.want)
		}
	}
}

func quoted(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}
