// Command texts writes what package managers need to know of a release that is published: the manifests of winget and
// of scoop, a PKGBUILD for the AUR, and a cask of Homebrew where there is an image for Macs. They are made from the
// checksums of the release, so that they can't name other bytes.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	sums := flag.String("sums", "", "the file SHA256SUMS")
	version := flag.String("version", "", "such as 1.2.3")
	repository := flag.String("repository", "", "owner/name on GitHub")
	license := flag.String("license", "", "the name of Weft's license")
	out := flag.String("out", "", "a folder to write to")
	flag.Parse()
	if *sums == "" || *version == "" || *repository == "" || *license == "" || *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	err := write(*sums, *out, release{Version: *version, Repository: *repository, License: *license})
	if err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
		os.Exit(1)
	}
}

// release is what is known of a release. sums are by the names of files.
type release struct {
	Version, Repository, License string
	sums                         map[string]string
}

var (
	versionForm    = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$`)
	licenseForm    = regexp.MustCompile(`^[A-Za-z0-9 .+-]+$`)
	lineForm       = regexp.MustCompile(`^([0-9a-f]{64}) [ *]([A-Za-z0-9._~-]+)$`)
)

func write(sums, out string, r release) error {
	if !versionForm.MatchString(r.Version) || !repositoryForm.MatchString(r.Repository) || !licenseForm.MatchString(r.License) {
		return fmt.Errorf("version %q, repository %q or license %q is in another form than expected", r.Version, r.Repository, r.License)
	}
	file, err := os.Open(sums)
	if err != nil {
		return err
	}
	defer file.Close()
	r.sums = map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		found := lineForm.FindStringSubmatch(lines.Text())
		if found == nil {
			return fmt.Errorf("%q isn't a checksum and a file", lines.Text())
		}
		r.sums[found[2]] = found[1]
	}
	if err := lines.Err(); err != nil {
		return err
	}
	files, err := r.texts()
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// texts returns the files to be written, by their paths.
func (r release) texts() (map[string]string, error) {
	var missing []error
	sum := func(name string) string {
		s := r.sums[name]
		if s == "" {
			missing = append(missing, fmt.Errorf("%s isn't in the checksums", name))
		}
		return s
	}
	page := "https://github.com/" + r.Repository
	base := "weft-" + r.Version
	at := func(name string) string { return page + "/releases/download/v" + r.Version + "/" + name }
	owner, _, _ := strings.Cut(r.Repository, "/")
	id := owner + ".Weft"

	zip, setup := base+"-windows-amd64.zip", base+"-windows-amd64-setup.exe"
	scoop, err := json.MarshalIndent(map[string]any{
		"version": r.Version, "description": "A desktop app for working with coding agents", "homepage": page, "license": r.License,
		"architecture": map[string]any{"64bit": map[string]any{"url": at(zip), "hash": sum(zip), "extract_dir": base + "-windows-amd64"}},
		"bin":          "weft.exe",
		"shortcuts":    [][]string{{"weft.exe", "Weft"}},
		"checkver":     "github",
		"autoupdate": map[string]any{
			"architecture": map[string]any{"64bit": map[string]any{
				"url": page + "/releases/download/v$version/weft-$version-windows-amd64.zip", "extract_dir": "weft-$version-windows-amd64",
			}},
			"hash": map[string]any{"url": "$baseurl/SHA256SUMS"},
		},
	}, "", "    ")
	if err != nil {
		return nil, err
	}
	winget := func(kind, rest string) string {
		return fmt.Sprintf("# yaml-language-server: $schema=https://aka.ms/winget-manifest.%s.1.6.0.schema.json\nPackageIdentifier: %s\nPackageVersion: %s\n%sManifestType: %s\nManifestVersion: 1.6.0\n",
			kind, id, r.Version, rest, kind)
	}
	arch := strings.ReplaceAll(r.Version, "-", "") // a - is behind a version there; letters come before
	amd64, arm64 := base+"-linux-amd64.tar.gz", base+"-linux-arm64.tar.gz"
	files := map[string]string{
		"scoop/weft.json":        string(scoop) + "\n",
		"winget/" + id + ".yaml": winget("version", "DefaultLocale: en-US\n"),
		"winget/" + id + ".installer.yaml": winget("installer", "MinimumOSVersion: 10.0.17763.0\nInstallerType: nullsoft\nScope: user\nUpgradeBehavior: install\nProtocols:\n- weft\nInstallers:\n- Architecture: x64\n  InstallerUrl: "+
			at(setup)+"\n  InstallerSha256: "+strings.ToUpper(sum(setup))+"\n"),
		"winget/" + id + ".locale.en-US.yaml": winget("defaultLocale", "PackageLocale: en-US\nPublisher: Weft\nPackageName: Weft\nPackageUrl: "+page+"\nLicense: "+r.License+
			"\nShortDescription: A desktop app for working with coding agents\nReleaseNotesUrl: "+page+"/releases/tag/v"+r.Version+"\n"),
		"aur/PKGBUILD": `pkgname=weft-bin
pkgver=` + arch + `
pkgrel=1
pkgdesc='A desktop app for working with coding agents'
arch=(x86_64 aarch64)
url='` + page + `'
license=('custom:` + r.License + `')
depends=(gtk3 webkit2gtk-4.1)
provides=(weft)
conflicts=(weft)
options=(!strip)
source_x86_64=('` + at(amd64) + `')
source_aarch64=('` + at(arm64) + `')
sha256sums_x86_64=('` + sum(amd64) + `')
sha256sums_aarch64=('` + sum(arm64) + `')

package() {
	cd ` + base + `-linux-*
	install -d "$pkgdir/usr"
	cp -a bin lib share "$pkgdir/usr/"
	install -Dm 644 COPYRIGHT "$pkgdir/usr/share/licenses/weft-bin/COPYRIGHT"
}
`,
	}
	if image := base + "-darwin-universal.dmg"; r.sums[image] != "" {
		files["homebrew/weft.rb"] = `cask "weft" do
  version "` + r.Version + `"
  sha256 "` + sum(image) + `"

  url "` + page + `/releases/download/v#{version}/weft-#{version}-darwin-universal.dmg"
  name "Weft"
  desc "Desktop app for working with coding agents"
  homepage "` + page + `"

  depends_on macos: ">= :big_sur"

  app "Weft.app"
  binary "#{appdir}/Weft.app/Contents/MacOS/weft"

  zap trash: "~/Library/Application Support/weft"
end
`
	}
	return files, errors.Join(missing...)
}
