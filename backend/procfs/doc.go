// Package procfs reads what Linux tells of processes under /proc. Elsewhere it is empty.
package procfs
