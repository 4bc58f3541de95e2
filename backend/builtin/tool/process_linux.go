package tool

import (
	"bytes"
	"os"
	"strconv"
)

// tagged are the living processes whose environment holds the tag. Those of other people cannot be read and are left
// out.
func tagged(tag string) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	needle := []byte(tagVariable + "=" + tag)
	var list []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		// The environment of a process that has ended is empty.
		if env, err := os.ReadFile("/proc/" + name + "/environ"); err == nil && bytes.Contains(env, needle) {
			list = append(list, pid)
		}
	}
	return list
}
