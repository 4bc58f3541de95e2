package agent

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// generations says how many more programs a program of the tree starts; the last one says that all are there.
const generations = "WEFT_TREE_GENERATIONS"

func TestMain(m *testing.M) {
	if left, err := strconv.Atoi(os.Getenv(generations)); err == nil {
		treeMain(left)
	}
	os.Exit(m.Run())
}

// treeMain is a program of the tree. It starts the next one without a console and in a group of its own, which leaves it alone outside of a job.
func treeMain(left int) {
	fmt.Println(os.Getpid())
	if left > 0 {
		cmd := exec.Command(os.Args[0]) //nolint:noctx // the job ends it
		cmd.Env = append(os.Environ(), generations+"="+strconv.Itoa(left-1))
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
		if err := cmd.Start(); err != nil {
			fmt.Println("failed", err)
		}
	}
	if left == 2 && os.Getenv("WEFT_TREE_ENDS") != "" {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(3)
	}
	time.Sleep(time.Hour) // the job ends it
}

// TestTreeEndsWithItsJob ends the root of a tree of three programs in each way; the others know nothing of it.
func TestTreeEndsWithItsJob(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(*testing.T, *Process, *os.Process){
		"stopped": func(t *testing.T, p *Process, _ *os.Process) {
			ended, cancel := context.WithCancel(t.Context())
			cancel() // no time for the root to end by itself
			_ = p.Stop(ended)
		},
		"killed": func(t *testing.T, _ *Process, root *os.Process) {
			if err := root.Kill(); err != nil {
				t.Error(err)
			}
		},
		"ended by itself": func(t *testing.T, p *Process, _ *os.Process) {
			if _, err := p.Stdin.Write([]byte("end\n")); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{generations: "2"}
			if name == "ended by itself" {
				env["WEFT_TREE_ENDS"] = "1"
			}
			p, err := Start(t.Context(), Spec{Name: "tree", Command: exe, Env: env, Dir: t.TempDir(), Paths: testPaths(t, os.Getenv("PATH"))})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = p.Stop(context.Background()) })
			out := bufio.NewReader(p.Stdout)
			var tree []*os.Process
			for range 3 {
				line, err := out.ReadString('\n')
				if err != nil {
					t.Fatalf("after %d programs: %v", len(tree), err)
				}
				pid, err := strconv.Atoi(strings.TrimSpace(line))
				if err != nil {
					t.Fatal(err)
				}
				of, err := os.FindProcess(pid)
				if err != nil {
					t.Fatal(err)
				}
				tree = append(tree, of)
			}
			if tree[0].Pid != p.PID() {
				t.Fatalf("the root is %d, and not %d", tree[0].Pid, p.PID())
			}
			end(t, p, tree[0])
			for _, of := range tree {
				if _, err := of.Wait(); err != nil { // blocks while one is there
					t.Error(err)
				}
			}
			<-p.Done()
		})
	}
}
