// Package procfs reads what Linux reports about processes under /proc. On other systems it is empty.
package procfs
