package main

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// leaveConsole closes the console that Windows has opened for this program alone, as it does where one is started from the menu. A console
// that another program has, too, such as a shell, stays.
func leaveConsole() {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	var users [2]uint32
	n, _, _ := kernel.NewProc("GetConsoleProcessList").Call(uintptr(unsafe.Pointer(&users[0])), uintptr(len(users)))
	if n == 1 {
		_, _, _ = kernel.NewProc("FreeConsole").Call()
	}
}
