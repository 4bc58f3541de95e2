package agents

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"weft/backend/agent/agenttest"
	"weft/backend/llm"
)

// behavior is the variable that says what the program in the place of the built-in agent does.
const behavior = "WEFT_TEST_BEHAVIOR"

func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func([]string){"agent": program})
}

func program(args []string) {
	do := os.Getenv(behavior)
	if do == "deaf" {
		os.Exit(4)
	}
	in := bufio.NewReader(os.Stdin)
	line, _ := in.ReadString('\n')
	var request llm.Listing
	if err := json.Unmarshal([]byte(line), &request); err != nil {
		panic(err)
	}
	switch do {
	case "answer":
		all := strings.Join(append(os.Environ(), args...), " ")
		_ = json.NewEncoder(os.Stdout).Encode(llm.Listed{Models: []llm.ModelInfo{{ID: request.Provider + " " + request.Key, Name: fmt.Sprint(args, strings.Contains(all, request.Key)), Context: 7}}})
	case "refuse":
		_ = json.NewEncoder(os.Stdout).Encode(llm.Listed{Error: llm.NewListError(&llm.Error{Code: llm.CodeAuth, Message: "No."})})
	case "silent":
		_ = json.NewEncoder(os.Stdout).Encode(llm.Listed{Error: llm.NewListError(llm.ErrSilent)})
	case "crash":
		panic("oops " + request.Key)
	case "sentence":
		fmt.Fprintln(os.Stderr, "noise\nweft agent: couldn't find it. Install it.\nmore noise")
		os.Exit(1)
	case "flood":
		for range 100_000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 100))
		}
		os.Exit(1)
	case "garbage":
		fmt.Println("{", request.Key)
	case "nothing":
	case "long":
		fmt.Printf(`{"models":[{"id":"%s"}]}`, strings.Repeat("x", maxResponse))
	case "hang":
		_, _ = in.ReadString('\n')
		select {}
	}
}

func TestAnswersOfTheAgentProgram(t *testing.T) {
	const key = "fig-tree-key-8812"
	for do, want := range map[string]string{
		"deaf":     "the built-in agent ended without an answer (exit status 4)",
		"refuse":   "No.",
		"silent":   llm.ErrSilent.Error(),
		"crash":    "the built-in agent ended without an answer (exit status 2)",
		"sentence": "couldn't find it. Install it.",
		"flood":    "the built-in agent ended without an answer (exit status 1)",
		"garbage":  "the built-in agent's answer can't be read. Install Weft again",
		"nothing":  "the built-in agent's answer can't be read. Install Weft again",
		"long":     "the list is too long",
	} {
		t.Setenv(behavior, do)
		list, err := askForModels(t.Context(), llm.Listing{Provider: "openai", Key: key})
		if err == nil || err.Error() != want || len(list) > 0 {
			t.Errorf("%s: %v, %v", do, list, err)
		}
		if do == "silent" && !errors.Is(err, llm.ErrSilent) {
			t.Errorf("%s: %v", do, err)
		}
	}
	t.Setenv(behavior, "answer")
	list, err := askForModels(t.Context(), llm.Listing{Provider: "openai", Key: key})
	if err != nil || len(list) != 1 || list[0] != (llm.ModelInfo{ID: "openai " + key, Name: "[models] false", Context: 7}) {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestCanceledRequestEndsTheAgentProgram(t *testing.T) {
	t.Setenv(behavior, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := askForModels(ctx, llm.Listing{Provider: "openai"})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
