package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sdks are modules that only the built-in agent needs. They would make Weft three times as large.
var sdks = []string{
	"github.com/openai/", "github.com/anthropics/",
}

// keepers are packages with which the linker keeps each method of each type: they look methods up by names that are known at run time only. Of the
// SDKs, these methods are half of weft-agent.
var keepers = []string{"text/template", "html/template", "net/rpc", "github.com/google/go-cmp/cmp", "google.golang.org/grpc"}

// imports lists the packages that a program is built from.
func imports(t *testing.T, program string) []string {
	t.Helper()
	list := strings.Fields(goList(t, program))
	if len(list) < 50 {
		t.Fatalf("go list found %d packages of %s.", len(list), program)
	}
	return list
}

// TestOnlyAgentHasModelSDKs checks that the SDKs of model providers, and the built-in agent, are in weft-agent and in no other program.
func TestOnlyAgentHasModelSDKs(t *testing.T) {
	t.Parallel()
	for _, program := range []string{".", "./backend/agent/weft-supervise"} {
		for _, name := range imports(t, program) {
			for _, sdk := range sdks {
				if strings.HasPrefix(name, sdk) {
					t.Errorf("%s imports %s. Only weft-agent may.", program, name)
				}
			}
			if strings.HasPrefix(name, "weft/backend/builtin") || name == "weft/backend/builtin/mapper" {
				t.Errorf("%s imports %s. Only weft-agent may.", program, name)
			}
		}
	}
	agent := " " + strings.Join(imports(t, "./backend/builtin/weft-agent"), " ")
	for _, sdk := range sdks {
		if !strings.Contains(agent, " "+sdk) {
			t.Errorf("weft-agent doesn't import %s: the list of SDKs is out of date.", sdk)
		}
	}
	for _, keeper := range keepers {
		if strings.Contains(agent+" ", " "+keeper+" ") {
			t.Errorf("weft-agent imports %s, which makes it twice as large.", keeper)
		}
	}
	if strings.Contains(agent, " github.com/wailsapp/") || strings.Contains(agent, " modernc.org/sqlite") {
		t.Error("weft-agent needs neither a window nor a database.")
	}
}

// TestProgramsStaySmall holds the sizes of the programs that make build has built, where it has.
func TestProgramsStaySmall(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int64{"weft": 37 << 20, "weft-supervise": 5 << 20, "weft-agent": 42 << 20} {
		info, err := os.Stat(filepath.Join("bin", name))
		if os.IsNotExist(err) {
			t.Logf("%s isn't built.", name)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			t.Errorf("%s has %d bytes. At most %d are allowed: see docs/decisions/0048-light.md, or run make build if it is of an older version.", name, info.Size(), most)
		}
	}
}
