package install

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// npmPackage is a package of a [npmRegistry]: its package.json and its other files.
type npmPackage struct {
	about map[string]any
	files map[string]string
}

// npmRegistry starts an npm registry on loopback and makes the real npm use it.
func npmRegistry(t *testing.T, packages ...npmPackage) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm isn't on this machine")
	}
	tarballs, documents := map[string][]byte{}, map[string]map[string]any{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if data, ok := tarballs[r.URL.Path]; ok {
			_, _ = w.Write(data)
			return
		}
		document, ok := documents[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	}))
	t.Cleanup(server.Close)
	for _, p := range packages {
		raw, err := json.Marshal(p.about)
		if err != nil {
			t.Fatal(err)
		}
		name, version := p.about["name"].(string), p.about["version"].(string)
		items := []item{{name: "package/package.json", body: string(raw)}}
		for file, body := range p.files {
			items = append(items, item{name: "package/" + file, body: body, mode: 0o755})
		}
		data := gz(tarOf(t, items...))
		path := "/" + name + "-" + version + ".tgz"
		tarballs[path] = data
		sum := sha512.Sum512(data)
		about := map[string]any{}
		// A registry's data about scripts may differ from the package: nobody checks it.
		for _, key := range []string{"name", "version", "bin", "dependencies", "optionalDependencies", "hasInstallScript"} {
			if v, ok := p.about[key]; ok {
				about[key] = v
			}
		}
		about["dist"] = map[string]any{"tarball": server.URL + path, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		documents[name] = map[string]any{"name": name, "dist-tags": map[string]any{"latest": version}, "versions": map[string]any{version: about}}
	}
	t.Setenv("npm_config_registry", server.URL)
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("npm_config_fetch_retries", "0")
}

// mark returns a script that creates a file in a folder.
func mark(folder, name string) string {
	return fmt.Sprintf("node -e \"require('fs').writeFileSync('%s','ran')\"", filepath.ToSlash(filepath.Join(folder, name)))
}
