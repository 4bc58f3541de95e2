// Package quantity formats amounts for the user. It imports nothing of Weft.
package quantity

import (
	"fmt"
	"strconv"
	"time"
)

// Count is a number of things, such as "1 file" and "3 files".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Bytes is a size, such as "512 B", "1.5 KB", "40 KB" and "2.0 MB"; a KB is 1,024 bytes, as in the frontend.
func Bytes(n int64) string {
	const kb = 1 << 10
	switch {
	case n < kb:
		return fmt.Sprintf("%d B", n)
	case n < 10*kb:
		return fmt.Sprintf("%.1f KB", float64(n)/kb)
	case n < kb*kb:
		return fmt.Sprintf("%d KB", n/kb)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(kb*kb))
}

// Seconds is how long something may take, such as "20 s" and "0.05 s".
func Seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', 3, 64) + " s" }
