package rest

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mapping is a range of addresses, as /proc/self/maps lists them.
type mapping struct {
	start, end         uint64
	access, path       string
	anonymous, swapped string // values of /proc/self/smaps: pages that are no longer those of the file, in memory and in swap
}

// startup lists the mappings that the program was started with: of itself and its libraries. Only these are ever
// unmapped, because nothing takes their places. A library that is loaded later may be in the middle of that.
func startup() []mapping {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []mapping
	for _, m := range parse(f) {
		if strings.HasPrefix(m.path, "/") && (m.access == "r-xp" || m.access == "r--p") {
			list = append(list, m)
		}
	}
	return list
}

// unmap lets go of the pages of mappings that are still what they were, and have no page that differs from the file, as
// those have into which the linker has written addresses. Nothing can be written to them any more.
// The system keeps these pages as its cache of the file, for as long as it has no other use for the memory, and maps
// them again when they are used.
func unmap(of []mapping) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	was := map[uint64]mapping{}
	for _, m := range of {
		was[m.start] = m
	}
	for _, m := range parse(f) {
		if old, ok := was[m.start]; ok && m.end == old.end && m.access == old.access && m.path == old.path && m.anonymous == "0 kB" && m.swapped == "0 kB" {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(m.start), uintptr(m.end-m.start), unix.MADV_DONTNEED)
		}
	}
}

// parse reads a file of the form of /proc/self/maps or /proc/self/smaps.
func parse(from io.Reader) (list []mapping) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		if name, isValue := strings.CutSuffix(fields[0], ":"); isValue {
			value := strings.Join(fields[1:], " ")
			switch {
			case len(list) == 0:
			case name == "Anonymous":
				list[len(list)-1].anonymous = value
			case name == "Swap":
				list[len(list)-1].swapped = value
			}
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err1 != nil || err2 != nil || end <= start {
			continue
		}
		m := mapping{start: start, end: end, access: fields[1]}
		if len(fields) > 5 {
			m.path = strings.Join(fields[5:], " ")
		}
		list = append(list, m)
	}
	return list
}
