package service

import (
	"os"
	"path/filepath"
	"testing"

	"weft/backend/api/service/agents"
)

// A form has a command that names no program refused before it is saved; without that wish it is saved as it is.
func TestCommandIsFoundBeforeItIsSaved(t *testing.T) {
	s, dir := openModels(t)
	program := filepath.Join(dir, "robin")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		program: "", "sh": "", "no-such-robin": "agent_missing", "bin/robin": "agent_missing", program + "s": "agent_missing",
		plain: "agent_not_executable", dir: "agent_not_executable",
	} {
		for _, find := range []bool{true, false} {
			_, err := s.agents.SaveAgent(t.Context(), agents.SaveAgentRequest{Name: "Robin", Command: command, Find: find})
			code, message := "", ""
			if err != nil {
				code, message, _ = Explain(err)
			}
			if find && code != want || !find && err != nil {
				t.Errorf("%s, find %t: %s %s", command, find, code, message)
			}
		}
	}
}
