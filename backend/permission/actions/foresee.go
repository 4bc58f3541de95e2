package actions

import (
	"weft/backend/permission"
	"weft/backend/permission/files"
)

// Foresee returns what has to be known of the disk to describe and compare calls at a place. It blocks on the disk.
func Foresee(calls []permission.Call, at permission.Place) *files.View {
	at.Disk = files.NewView()
	for i := range calls {
		About(&calls[i], permission.Describe(&calls[i], at))
	}
	return at.Disk
}

// Edits returns a call that edits each of the files.
func Edits(paths []string) []permission.Call {
	calls := make([]permission.Call, len(paths))
	for i := range paths {
		calls[i] = edit(paths[i])
	}
	return calls
}

func edit(path string) permission.Call { return permission.Call{Kind: Edit, Paths: []string{path}} }
