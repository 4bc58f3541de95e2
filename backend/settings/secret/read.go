package secret

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"weft/backend/base/fault"
)

// With returns plain values together with those that refs name, never nil. Errors are those of read, with the name of
// the value.
func With(plain, refs map[string]string, read func(ref string) (string, error)) (map[string]string, error) {
	all := maps.Clone(plain)
	if all == nil {
		all = map[string]string{}
	}
	if err := Complete(slices.Sorted(maps.Values(all))...); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		value, err := read(refs[name])
		if err != nil {
			return nil, fault.New(cmp.Or(fault.CodeOf(err), "internal"), "{{name}} couldn't be read. {{reason}}", name, err).Because(err)
		}
		all[name] = value
	}
	return all, nil
}

// Complete fails if a secret is missing in one of the texts that a program or server needs, because it was left out of
// a backup.
func Complete(texts ...string) error {
	if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, Missing) }) {
		return fault.New(CodeMissing, "One of its secrets was left out of the restored backup. Enter it again in Settings, where it says {{text}}.", Missing)
	}
	return nil
}

// Reader returns a function that reads secrets one after the other. Once the keychain itself has failed, it isn't asked
// again: the user must not have to wait, or to dismiss a window, once for every secret.
func Reader(ctx context.Context, read func(context.Context, string) (string, error)) func(ref string) (string, error) {
	var failed error
	return func(ref string) (string, error) {
		if failed != nil && Ref(ref).Place() == Keychain {
			return "", failed
		}
		value, err := read(ctx, ref)
		if KeychainFailed(err) {
			failed = err
		}
		return value, err
	}
}
