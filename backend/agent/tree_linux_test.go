package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/backend/base/simtest"
	"weft/backend/files/procfs"
)

// The app may be killed at any moment, also while an agent is being started.
func TestAppKilledAtAnyMomentLeavesNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		mark := fmt.Sprintf("WEFT_TEST_MARK=%d-%d", seed, round)
		key, value, _ := strings.Cut(mark, "=")
		text, err := json.Marshal(Spec{
			Command: "sh", Dir: t.TempDir(), Env: map[string]string{key: value},
			Args: []string{"-c", `setsid -f sh -c 'trap "" TERM; sleep 1000'; sleep 1000 & echo ready; wait`},
		})
		if err != nil {
			t.Fatal(err)
		}
		app := exec.CommandContext(t.Context(), executable(t), "test-app", string(text))
		app.Env = append(os.Environ(), "SHELL=/bin/false")
		if err := app.Start(); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(random.IntN(60)) * time.Millisecond)
		_ = app.Process.Kill()
		_ = app.Wait()
		simtest.Eventually(t, "nothing carries the mark", func() bool { return len(marked(mark)) == 0 })
	}
}

// marked gives the living processes with this in their environment.
func marked(mark string) (living []int) {
	for _, pid := range procfs.PIDs() {
		env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if bytes.Contains(env, []byte(mark+"\x00")) {
			living = append(living, alive([]int{pid})...)
		}
	}
	return living
}
