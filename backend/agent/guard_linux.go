package agent

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weft/backend/settings/secret"
)

// guardFlag puts a guard process between Weft and the supervisor. Each of the two ends the tree if the other is
// killed: processes that lose the supervisor become children of the guard, however they hide, and the kernel notifies
// the supervisor if the guard is gone.
const guardFlag = "--guard"

// guardMain is SuperviseMain in the guard process. args are the supervisor's arguments.
func guardMain(args []string) int {
	secret.Seal()
	runtime.LockOSThread() // see SuperviseMain
	becomeSupervisor()
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) // the supervisor handles them
	files := []uintptr{0, 1, 2, controlFD, statusFD, environFD}
	if fdOpen(secretsFD) {
		files = append(files, secretsFD)
	}
	for _, fd := range files[3:] {
		if !fdOpen(int(fd)) {
			fmt.Fprintln(os.Stderr, startedByWeft)
			return 2
		}
	}
	pid, err := syscall.ForkExec("/proc/self/exe", append(superviseArgs(), args...), &syscall.ProcAttr{
		Env: os.Environ(), Files: files, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "weft supervise:", err)
		return 127
	}
	for _, fd := range files[3:] {
		_ = unix.Close(int(fd))
	}
	letGo()
	var status syscall.WaitStatus
	for {
		var one syscall.WaitStatus
		got, err := syscall.Wait4(-1, &one, 0, nil)
		if got == pid {
			status = one
		}
		if err == syscall.EINTR || err == nil && got != pid {
			continue
		}
		break
	}
	endOrphans()
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// endOrphans kills the processes that the supervisor has left behind, and waits until they are gone.
func endOrphans() {
	limit := time.Now().Add(giveUp)
	for time.Now().Before(limit) {
		left := under(table(), os.Getpid())
		if len(left) == 0 {
			return
		}
		signalAll(left, syscall.SIGKILL)
		for { // reap those that have ended
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.EINTR && pid <= 0 {
				break
			}
		}
		<-time.After(killEvery)
	}
}

// superviseArgs returns the arguments that make this program a supervisor.
func superviseArgs() []string {
	if len(os.Args) > 1 && os.Args[1] == superviseCommand {
		return []string{"weft", superviseCommand}
	}
	return []string{"weft"} // the helper program is only a supervisor
}
