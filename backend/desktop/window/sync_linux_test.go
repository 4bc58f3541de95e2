package window

import (
	"os"
	"path/filepath"
	"testing"
)

func TestExplicitSyncIsOffOnlyForNvidiaUnderWayland(t *testing.T) {
	nvidia, other := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(nvidia, "sys/module/nvidia"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		root, display, session, decided string
		want                            bool
	}{
		"Wayland":                {nvidia, "wayland-0", "", "", true},
		"a session of Wayland":   {nvidia, "", "wayland", "", true},
		"X11":                    {nvidia, "", "x11", "", false},
		"another driver":         {other, "wayland-0", "wayland", "", false},
		"the user has turned on": {nvidia, "wayland-0", "wayland", "0", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("WAYLAND_DISPLAY", c.display)
			t.Setenv("XDG_SESSION_TYPE", c.session)
			t.Setenv("__NV_DISABLE_EXPLICIT_SYNC", c.decided)
			if c.decided == "" {
				_ = os.Unsetenv("__NV_DISABLE_EXPLICIT_SYNC")
			}
			if got := explicitSyncBreaks(c.root); got != c.want {
				t.Errorf("%t", got)
			}
		})
	}
}
