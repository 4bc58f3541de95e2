package shell

// runtimePrograms are languages. What they run isn't known, except for a few modules. Even --version isn't in the
// table, because a file in the folder may decide which program a version manager starts.
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
