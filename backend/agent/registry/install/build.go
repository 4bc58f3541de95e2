package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
)

// The messages of uv if a package has no wheel, which would only be unpacked, and building is not allowed. A build runs
// code of the package.
var (
	buildDisabled = lazyregexp.New("(?i)building (from source|source distributions( for `[^`]*`)?) is disabled")
	unbuilt       = []*lazyregexp.Regexp{
		lazyregexp.New("Wheels are required for `([A-Za-z0-9._-]+)`"),
		lazyregexp.New("(?i)building source distributions for `([A-Za-z0-9._-]+)` is disabled"),
		lazyregexp.New(`\b([A-Za-z0-9._-]+)==[^\s,]+ has no usable wheels`),
	}
)

// needsBuild reports whether uv failed only because it may not build, and returns the packages that it named, sorted.
func needsBuild(err error) (packages []string, ok bool) {
	var own *Error
	if !errors.As(err, &own) || own.Code != CodePackage {
		return nil, false
	}
	log := strings.Join(strings.Fields(own.Detail), " ") // it wraps lines
	if !buildDisabled.MatchString(log) {
		return nil, false
	}
	for _, name := range unbuilt {
		for _, match := range name.FindAllStringSubmatch(log, -1) {
			packages = append(packages, match[1])
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages), true
}

// askBuild asks whether packages may be built from source. Error: CodeCancelled for a no.
func (w *work) askBuild(ctx context.Context, packages []string) error {
	q := Question{Code: CodeBuild, Token: token(w.entry, CodeBuild, []any{w.target.Origin(), packages}), Scripts: []Script{}, Packages: packages}
	what := "A package"
	if len(packages) > 0 {
		what = quantity.Count(len(packages), "package", "packages") + " (" + few(packages) + ")"
	}
	q.Message = fmt.Sprintf("%s of %s %s must be built from source, which runs code of the package with your permissions. Build from source?", what, w.entry.Name, w.entry.Version)
	yes, err := w.confirm(ctx, q)
	if err == nil && !yes {
		err = fault.New(CodeCancelled, "The installation was canceled. Nothing was built.")
	}
	return err
}
