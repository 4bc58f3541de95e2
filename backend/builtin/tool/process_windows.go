package tool

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a Job Object, which what a command starts cannot leave, and which ends with its handle.
type tree struct{ job windows.Handle }

func (tree) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
		CmdLine: commandLine(cmd),
	}
}

// commandLine hands cmd.exe its line as it is: it does not know the quotes of other programs.
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

// ask has no gentle form here.
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
