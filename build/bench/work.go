package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// workers are the measurements that run in a process of their own. Each takes and answers JSON.
var workers = map[string]func(params []byte) (any, error){
	"flood":    worker(floodWeft),
	"sdk":      worker(floodSDK),
	"position": worker(positionWork),
	"latency":  worker(latencyWork),
	"decision": worker(decisionWork),
	"gateway":  worker(gatewayWork),
	"opening":  worker(openingWork),
	"search":   worker(searchWork),
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
	result, err := workers[args[0]]([]byte(args[1]))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
