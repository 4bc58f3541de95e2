package install

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The messages of uv if a package has no wheel.
const (
	noWheel = "  × No solution found when resolving dependencies:\n  ╰─▶ Because fast-agent-acp==0.10.1 has no usable wheels and building\n" +
		"      from source is disabled and you require fast-agent-acp==0.10.1, we can conclude that your requirements are unsatisfiable.\n" +
		"\n      hint: Wheels are required for `proxy-tools` because building from source is disabled for all packages (i.e., with `--no-build`)"
	noDistribution = "error: Building source distributions for `sdist.only` is disabled"
)

// buildingUV needs a build, and records each call.
const buildingUV = `
printf '%s\n' "$*" >> "$CALLS"
case "$*" in *--no-build*) printf '%s' "$SAYS" >&2; exit 1;; esac
mkdir -p "$UV_TOOL_BIN_DIR"
: > "$UV_TOOL_BIN_DIR/fast-agent-acp"
`

func TestNothingIsBuiltUnasked(t *testing.T) {
	calls := filepath.Join(t.TempDir(), "calls")
	t.Setenv("CALLS", calls)
	t.Setenv("SAYS", noWheel)
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Answers: t.TempDir(), Paths: tool(t, "uv", buildingUV)})
	ran := func() []string {
		raw, err := os.ReadFile(calls)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(raw)), "\n")
	}
	var asked []Question
	allow := false
	ask := func(_ context.Context, q Question) (bool, error) {
		asked = append(asked, q)
		return allow, nil
	}

	_, err := in.Install(t.Context(), entryA, uvTarget(), false, quiet, ask)
	mustFail(t, err, CodeCancelled, "Nothing was built")
	if got := ran(); len(got) != 1 || !strings.Contains(got[0], "--no-build") {
		t.Errorf("before the answer uv was called with %q", got)
	}
	empty(t, in)
	if len(asked) != 1 {
		t.Fatalf("asked %d times", len(asked))
	}
	q := asked[0]
	if q.Code != CodeBuild || !slices.Equal(q.Packages, []string{"fast-agent-acp", "proxy-tools"}) ||
		!strings.Contains(q.Message, "2 packages (fast-agent-acp, proxy-tools) of A 1.0.0 must be built from source") {
		t.Errorf("%+v", q)
	}

	allow = true
	r, err := in.Install(t.Context(), entryA, uvTarget(), false, quiet, ask)
	if err != nil {
		t.Fatal(err)
	}
	if got := ran(); len(got) != 3 || got[2] != "tool install -- fast-agent-acp==0.10.1" {
		t.Errorf("after the answer uv was called with %q", got)
	}
	if err := in.Remove(r); err != nil {
		t.Fatal(err)
	}
	if _, err = in.Install(t.Context(), entryA, uvTarget(), false, quiet, ask); err != nil || len(asked) != 2 {
		t.Errorf("again: %v, asked %d times", err, len(asked))
	}
	t.Setenv("SAYS", noDistribution)
	if _, err = in.Install(t.Context(), entryA, uvTarget(), false, quiet, ask); err != nil || len(asked) != 3 || !slices.Equal(asked[2].Packages, []string{"sdist.only"}) {
		t.Errorf("another package: %v, %+v", err, asked)
	}
}

func TestOtherFailuresOfUVAreNotAskedAbout(t *testing.T) {
	calls := filepath.Join(t.TempDir(), "calls")
	t.Setenv("CALLS", calls)
	t.Setenv("SAYS", "error: building from source failed; networking is disabled")
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Paths: tool(t, "uv", buildingUV)})
	_, err := in.Install(t.Context(), entryA, uvTarget(), false, quiet, func(context.Context, Question) (bool, error) {
		t.Error("asked")
		return true, nil
	})
	mustFail(t, err, CodePackage, "networking is disabled")
	if raw, err := os.ReadFile(calls); err != nil || strings.Count(string(raw), "\n") != 1 {
		t.Errorf("uv was called with %q, %v", raw, err)
	}
}
