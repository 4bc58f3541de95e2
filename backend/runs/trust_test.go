package runs

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestTrustedModes(t *testing.T) {
	for id, want := range map[string]string{
		"acceptEdits": "edit", "auto_edit": "edit", "autoEdit": "edit", "auto-edit": "edit", "yolo": "all", "YOLO": "all", "bypassPermissions": "all", "full-access": "all",
		"https://agentclientprotocol.com/protocol/session-modes#autopilot": "all", "default": "", "plan": "", "ask": "", "read-only": "", "dontAsk": "", "build": "", "": "",
	} {
		if got := trusting[modeKey(id)]; got != want {
			t.Errorf("%s is trusted with %q, want %q", id, got, want)
		}
	}
	if raw, err := json.Marshal(Offered{}); err != nil || strings.Contains(string(raw), "pickedMode") {
		t.Errorf("%s, %v", raw, err)
	}
}
