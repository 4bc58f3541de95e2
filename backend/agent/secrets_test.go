//go:build linux

package agent

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"weft/backend/settings/secret"
)

const testKey = "sk-ant-weft-0123456789"

// environOf reads the environment of a process as it was started.
func environOf(t *testing.T, pid int) string {
	t.Helper()
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	return string(env)
}

// An agent of another vendor gets Weft's keys in its environment. No other program does.
func TestKeysAreInTheAgentsEnvironmentOnly(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", testKey)
	for _, keys := range []bool{true, false} {
		spec := fake(t, "echo")
		spec.Keys, spec.Env = keys, map[string]string{"OWN_TOKEN": "own-token-0123"}
		p := mustStart(t, spec)
		env := environOf(t, p.PID())
		if strings.Contains(env, testKey) != keys || !strings.Contains(env, "own-token-0123") {
			t.Errorf("keys %v: the program's environment is %q", keys, env)
		}
		if env := environOf(t, p.tree.supervisor.Process.Pid); strings.Contains(env, testKey) || strings.Contains(env, "own-token-0123") {
			t.Errorf("keys %v: the supervisor's environment is %q", keys, env)
		}
	}
}

// Variables with the value of a known secret are withheld, whatever they are called.
func TestKnownValuesAreWithheld(t *testing.T) {
	t.Setenv("HARMLESS", testKey)
	hide := &secret.Redactor{}
	hide.Add(testKey)
	spec := fake(t, "echo")
	spec.Hide = hide
	if env := environOf(t, mustStart(t, spec).PID()); strings.Contains(env, testKey) {
		t.Errorf("it is there: %q", env)
	}
}

func init() {
	// handed withholds what it was handed and prints it, with what /proc and its children see of it.
	fakes["handed"] = func() {
		secret.Withhold(nil)
		own := secret.Getenv("OPENAI_API_KEY") + " " + strconv.FormatBool(slices.Contains(os.Environ(), "OPENAI_API_KEY="+testKey))
		out, _ := exec.Command("sh", "-c", "env; ls -l /proc/self/fd").CombinedOutput()
		of := strconv.FormatBool(strings.Contains(string(out), testKey) || strings.Contains(string(out), secret.HandedVariable))
		_, _ = io.WriteString(os.Stdout, own+"\n"+of+"\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	// spy reads what it can of another process, as another user than root: root may read everything.
	fakes["spy"] = func() {
		for _, name := range []string{"environ", "mem", "fd", "cmdline"} {
			f, err := os.Open("/proc/" + os.Args[2] + "/" + name)
			if err == nil {
				_, err = f.Readdirnames(-1)
				if name != "fd" {
					_, err = io.ReadAll(io.LimitReader(f, 1))
				}
			}
			_, _ = io.WriteString(os.Stdout, name+" "+strconv.FormatBool(err == nil)+"\n")
		}
	}
	// sealed seals itself and waits.
	fakes["sealed"] = func() {
		secret.Seal()
		_, _ = io.WriteString(os.Stdout, "ready\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	fakes["open"] = func() {
		_, _ = io.WriteString(os.Stdout, "ready\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

func TestHandedSecretsAreInNoEnvironment(t *testing.T) {
	long := strings.Repeat("x", 200_000) // more than a pipe holds
	spec := fake(t, "handed")
	spec.Secrets = map[string]string{"OPENAI_API_KEY": testKey, "LONG_TOKEN": long}
	p := mustStart(t, spec)
	if got := line(t, p); got != testKey+" false" {
		t.Errorf("it has %.60q", got)
	}
	if got := line(t, p); got != "false" {
		t.Error("its commands see the key")
	}
	for _, pid := range []int{p.PID(), p.tree.supervisor.Process.Pid} {
		cmdline, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if strings.Contains(environOf(t, pid)+string(cmdline), testKey) {
			t.Errorf("process %d shows the key", pid)
		}
	}
}

// A program that never reads its secrets blocks nothing.
func TestUnreadSecretsDoNotBlockStart(t *testing.T) {
	spec := fake(t, "echo")
	spec.Secrets = map[string]string{"LONG_TOKEN": strings.Repeat("x", 200_000)}
	p := mustStart(t, spec)
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Other processes of the same user can't read a sealed one.
func TestASealedProcessCannotBeRead(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("runs as this user")
	}
	as := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "/proc/self/exe", append([]string{name}, args...)...)
		if os.Getuid() == 0 { // root reads everything
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		cmd.Dir = "/"
		return cmd
	}
	for name, readable := range map[string]string{"open": "true", "sealed": "false"} {
		target := as(name)
		in, err := target.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := target.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := target.Start(); err != nil {
			t.Skipf("no process can be started as another user here: %v", err)
		}
		buf := make([]byte, 6)
		if _, err := io.ReadFull(out, buf); err != nil {
			t.Fatal(err)
		}
		got, err := as("spy", strconv.Itoa(target.Process.Pid)).Output()
		if want := "environ " + readable + "\n"; err != nil || !strings.Contains(string(got), want) || !strings.Contains(string(got), "fd "+readable) || !strings.Contains(string(got), "cmdline true") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		_ = in.Close()
		_ = target.Wait()
	}
}
