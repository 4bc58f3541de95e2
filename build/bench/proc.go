package main

import (
	"fmt"
	"os"
	"strings"
)

// procValue reads "key: number" of a file under /proc/self; 0 where there is none.
func procValue(file, key string) (n int64) {
	data, err := os.ReadFile("/proc/self/" + file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			_, _ = fmt.Sscan(rest, &n)
		}
	}
	return n
}

// pressure is for how many µs, since the start of the machine, something had to wait for a
// processor; 0 where nobody counts.
func pressure() (n int64) {
	data, err := os.ReadFile("/proc/pressure/cpu")
	if err != nil {
		return 0
	}
	_, total, _ := strings.Cut(string(data), "total=")
	_, _ = fmt.Sscan(total, &n)
	return n
}

// resident is the memory of this process in bytes, peak the most it had since resetPeak.
func resident() int64 { return procValue("status", "VmRSS") << 10 }
func peak() int64     { return procValue("status", "VmHWM") << 10 }

func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// written is how many bytes this process has handed to write calls.
func written() int64 { return procValue("io", "wchar") }
