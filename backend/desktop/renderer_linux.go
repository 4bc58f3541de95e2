package desktop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"weft/backend/procfs"
)

// Machine names what decides how WebKitGTK draws here: its version, the drivers of the GPUs with their versions, and the kind of the session. A
// driver without a version is part of the kernel, and has that of the kernel.
func Machine(webkit string) string {
	list := []string{"webkit " + webkit, "session " + os.Getenv("XDG_SESSION_TYPE") + os.Getenv("GDK_BACKEND")}
	cards, _ := filepath.Glob("/sys/class/drm/card*/device/driver")
	for _, card := range cards {
		driver, err := filepath.EvalSymlinks(card)
		if err != nil {
			continue
		}
		version, err := os.ReadFile(filepath.Join(driver, "module", "version"))
		if err != nil {
			version = []byte(kernel())
		}
		list = append(list, filepath.Base(driver)+" "+strings.TrimSpace(string(version)))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// ExplicitSyncBreaks reports whether the driver of NVIDIA would end the window's process at its start ("Error 71 (Protocol error)"): under Wayland, unless the
// user has decided about its explicit sync. Root is the root of the file system.
func ExplicitSyncBreaks(root string) bool {
	if _, decided := os.LookupEnv("__NV_DISABLE_EXPLICIT_SYNC"); decided {
		return false
	}
	if os.Getenv("WAYLAND_DISPLAY") == "" && os.Getenv("XDG_SESSION_TYPE") != "wayland" {
		return false
	}
	_, err := os.Stat(filepath.Join(root, "sys/module/nvidia"))
	return err == nil
}

// WebProcesses watches the processes of WebKit that load and draw the page of this program.
type WebProcesses struct {
	cpu map[int]uint64 // at the last look
}

// webProcess is how the names of their programs begin.
const webProcess = "WebKit"

// Idle reports whether none of them has done anything since the last look, nor would do something now: each thread sleeps. It is true as well
// where there is none, and false at the first look.
func (w *WebProcesses) Idle() bool {
	first, idle, now := w.cpu == nil, true, map[int]uint64{}
	for _, pid := range procfs.PIDs() {
		p, err := procfs.Stat(pid)
		if err != nil || p.Parent != os.Getpid() || !strings.HasPrefix(p.Name, webProcess) || p.State == 'Z' {
			continue
		}
		now[pid] = p.CPU
		if before, ok := w.cpu[pid]; !ok || p.CPU-before > mostIdleTicks {
			idle = false
		}
		for _, t := range procfs.Threads(pid) {
			idle = idle && t.State == 'S'
		}
	}
	w.cpu = now
	return idle && !first
}

// mostIdleTicks are the hundredths of a second that timers of a page use in a second, at most, while it does nothing.
const mostIdleTicks = 10
