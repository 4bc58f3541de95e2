package sandbox

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// busVariable contains the address of the session bus.
const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// busReady is how long the proxy of the session bus may take to listen.
const busReady = 3 * time.Second

// keyringBus starts a proxy of the session bus that allows access only to the keyring, where agents store their
// sign-ins. On the bus itself, the service manager and other services run commands for any client. It returns the
// proxy's socket and a function that ends the proxy. ok is false if there is no bus or no proxy program. The proxy
// also ends with this process.
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
	dir, err := os.MkdirTemp(runtime, "weft-bus-") // the temporary folder if there is no runtime folder
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
