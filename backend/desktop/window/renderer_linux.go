package window

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"weft/backend/files/procfs"
)

// machineID identifies what the drawing of WebKitGTK depends on: its version, the GPU drivers with their versions, and
// the session type. A driver without a version is part of the kernel and has the kernel's version.
func machineID(webkit string) string {
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

// explicitSyncBreaks reports whether the NVIDIA driver would kill the window's process at startup ("Error 71 (Protocol
// error)"): under Wayland, unless the user has configured its explicit sync. root is the root of the file system.
func explicitSyncBreaks(root string) bool {
	if _, decided := os.LookupEnv("__NV_DISABLE_EXPLICIT_SYNC"); decided {
		return false
	}
	if os.Getenv("WAYLAND_DISPLAY") == "" && os.Getenv("XDG_SESSION_TYPE") != "wayland" {
		return false
	}
	_, err := os.Stat(filepath.Join(root, "sys/module/nvidia"))
	return err == nil
}

// webProcesses watches the WebKit processes that load and draw the page of this program.
type webProcesses struct {
	cpu map[int]uint64 // at the last check
}

// webProcess is the prefix of their program names.
const webProcess = "WebKit"

// Idle reports whether all of these processes were idle since the last check and all of their threads sleep. It is true
// if there are none, and false at the first check.
func (w *webProcesses) Idle() bool {
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

// mostIdleTicks is the maximum CPU time, in hundredths of a second per second, that the timers of an idle page use.
const mostIdleTicks = 10
