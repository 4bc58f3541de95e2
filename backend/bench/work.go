package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"

	"weft/backend/bench/history"
)

// profileVariable names the folder for CPU profiles in a worker's environment.
const profileVariable = "WEFT_BENCH_PROFILE"

// workers are the measurements that run in a process of their own. Each takes and answers JSON.
var workers = map[string]func(params []byte) (any, error){
	"flood":    worker(floodWeft),
	"replay":   worker(replayWeft),
	"sdk":      worker(floodSDK),
	"position": worker(positionWork),
	"latency":  worker(latencyWork),
	"twenty":   worker(twentyWork),
	"crowd":    worker(crowdWork),
	"drip":     worker(dripWork),
	"opening":  worker(openingWork),
	"mention":  worker(mentionWork),
	"branch":   worker(branchWork),
	"export":   worker(exportWork),
	"import":   worker(importWork),
	"input":    worker(inputWork),
	"decision": worker(decisionWork),
	"builtin":  worker(builtinWork),
	"gateway":  worker(gatewayWork),
	"proxy":    worker(proxyWork),
	"posts":    worker(postsWork),
	"deltas":   worker(deltasWork),
	"long":     worker(longWork),
	"search":   worker(history.Search),
}

func worker[P, R any](f func(P) (R, error)) func([]byte) (any, error) {
	return func(params []byte) (any, error) {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		return f(p)
	}
}

// work runs a worker and reads its answer.
func (b *bench) work(name string, params, result any) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := json.Marshal(params)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(b.ctx, self, "work", name, string(p))
	cmd.Env = append(os.Environ(), b.env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return json.Unmarshal(out, result)
}

func workMain(args []string) int {
	if err := workOne(args); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

func workOne(args []string) error {
	if len(args) != 2 || workers[args[0]] == nil {
		return fmt.Errorf("there is no such worker: %q", args)
	}
	if dir := os.Getenv(profileVariable); dir != "" {
		f, err := os.Create(filepath.Join(dir, args[0]+".pprof"))
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	result, err := workers[args[0]]([]byte(args[1]))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
