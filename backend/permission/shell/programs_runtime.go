package shell

// runtimePrograms are languages: what they are given to run isn't known, but for a few modules. Not even --version is in the table, because a file of
// the folder may decide which program a version manager starts.
var runtimePrograms = map[string]*program{
	"python": python(), "python3": python(),
	"gcc": {forms: map[string]*form{"--version": {}}}, "clang": {forms: map[string]*form{"--version": {}}},
}

func python() *program {
	return &program{packages: pythonPackage, forms: map[string]*form{
		"-m pytest":   pytest(),
		"-m unittest": {acts: true, opts: optionsOf("-v -q -f -b -k:"), operands: data, noEnd: true},
	}}
}
