package shell

// runtimePrograms are languages: what they are given to run isn't known, but for a few modules and questions.
var runtimePrograms = map[string]*program{
	"python": python(), "python3": python(),
	"node": {forms: map[string]*form{"--version": {}, "-v": {}, "--check": reads(""), "-c": reads("")}},
	"deno": {forms: map[string]*form{"--version": {}}}, "ruby": {forms: map[string]*form{"--version": {}, "-v": {}}}, "perl": {forms: map[string]*form{"--version": {}, "-v": {}}},
	"php": {forms: map[string]*form{"--version": {}, "-v": {}}}, "java": {forms: map[string]*form{"--version": {}, "-version": {}}},
	"rustc": {forms: map[string]*form{"--version": {}, "-V": {}}}, "gcc": {forms: map[string]*form{"--version": {}}}, "clang": {forms: map[string]*form{"--version": {}}},
}

func python() *program {
	return &program{packages: pythonPackage, forms: map[string]*form{
		"--version": {}, "-V": {},
		"-m pytest":   pytest(),
		"-m unittest": {acts: true, opts: optionsOf("-v -q -f -b -k:"), operands: data, noEnd: true},
	}}
}
