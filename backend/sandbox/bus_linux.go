package sandbox

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// busVariable has the address of the session bus.
const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// busReady is how long the proxy of the session bus may take to listen.
const busReady = 3 * time.Second

// keyringBus starts a proxy through which nothing of the desktop's session bus can be reached but the keyring, in which agents keep their sign-ins. Over the bus
// itself, the service manager and others run commands for whoever asks. It returns the socket, and what ends the proxy; ok is false where there is no bus or no proxy.
// The proxy ends with this process, too.
func keyringBus() (socket string, end func(), ok bool) {
	address := os.Getenv(busVariable)
	runtime := os.Getenv("XDG_RUNTIME_DIR")
	if address == "" && runtime != "" && exists(filepath.Join(runtime, "bus")) {
		address = "unix:path=" + filepath.Join(runtime, "bus")
	}
	program, err := exec.LookPath("xdg-dbus-proxy")
	if address == "" || err != nil {
		return "", nil, false
	}
	dir, err := os.MkdirTemp(runtime, "weft-bus-") // the temporary folder where there is none for the session
	if err != nil {
		return "", nil, false
	}
	remove := func() { _ = os.RemoveAll(dir) }
	here, there, err := os.Pipe()
	if err != nil {
		remove()
		return "", nil, false
	}
	socket = filepath.Join(dir, "bus")
	//nolint:noctx // it ends with its end of the pipe
	cmd := exec.Command(program, "--fd=3", address, socket, "--filter", "--talk=org.freedesktop.secrets")
	cmd.ExtraFiles = []*os.File{there}
	err = cmd.Start()
	_ = there.Close()
	if err != nil {
		_ = here.Close()
		remove()
		return "", nil, false
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		remove()
		close(ended)
	}()
	end = func() {
		_ = here.Close()
		<-ended
	}
	_ = here.SetReadDeadline(time.Now().Add(busReady))
	if _, err := io.ReadFull(here, make([]byte, 1)); err != nil {
		_ = cmd.Process.Kill()
		end()
		return "", nil, false
	}
	return socket, end, true
}
