package tool

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a Job Object. The command's children can't leave it, and it ends with its handle.
type tree struct{ job windows.Handle }

func (tree) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
		CmdLine: commandLine(cmd),
	}
}

// commandLine returns the unescaped command line for cmd.exe, which doesn't understand the usual quoting.
func commandLine(cmd *exec.Cmd) string {
	if n := len(cmd.Args); n == 5 && cmd.Args[3] == "/c" {
		return `"` + cmd.Path + `" /d /s /c "` + cmd.Args[4] + `"`
	}
	return ""
}

func (t *tree) admit(pid int) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, handle)
		_ = windows.CloseHandle(handle)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	t.job = job
}

// ask kills the tree, because Windows has no gentle way.
func (t *tree) ask(pid int) {
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func (t *tree) end(int, string) {
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}

func signalOf(*os.ProcessState) string { return "" }
