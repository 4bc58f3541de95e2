package window

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// LeaveConsole closes the console that Windows opens for a program that is started from the menu. A console that
// another program uses too, such as a shell, stays open.
func LeaveConsole() {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	var users [2]uint32
	n, _, _ := kernel.NewProc("GetConsoleProcessList").Call(uintptr(unsafe.Pointer(&users[0])), uintptr(len(users)))
	if n == 1 {
		_, _, _ = kernel.NewProc("FreeConsole").Call()
	}
}
