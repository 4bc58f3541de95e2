//go:build unix && !linux

package tool

// tagged isn't supported here. Only the process group is used.
func (*tree) tagged(string) (list []int, all bool) { return nil, true }

func started(int) uint64 { return 0 }
