package shell

import (
	"slices"
	"strings"
)

// remotePrograms request something from another program. They connect to what the user has configured, or to the
// address in the rule.
var remotePrograms = map[string]*program{
	"curl": only(&form{
		acts: true, opts: optionsOf("-s -S -f -i -I -v -m: --silent --show-error --fail --include --head --verbose --max-time: --compressed --no-progress-meter"), operands: data, most: 1, named: 1, noEnd: true,
		check: func(u *Use) bool {
			url := u.operands
			return len(url) == 1 && (strings.HasPrefix(url[0].text, "https://") || strings.HasPrefix(url[0].text, "http://")) && !strings.ContainsAny(url[0].text, "{}[]\\")
		},
	}),
	"docker": containers(), "podman": containers(),
	"kubectl": {forms: map[string]*form{
		"get":      kubectl("-o: --output: -l: --selector: -w -A --all-namespaces --watch --show-labels --no-headers --sort-by: --field-selector:"),
		"describe": kubectl("-l: --selector: -A --all-namespaces"),
		"logs":     kubectl("-f -c: --follow --tail: --since: --container: --timestamps -p --previous --all-containers --prefix -l: --selector:"),
		"top pod":  kubectl("--containers -A --all-namespaces"), "top pods": kubectl("--containers -A --all-namespaces"), "top node": kubectl(""), "top nodes": kubectl(""),
		"version": kubectl("--client -o: --output:"), "api-resources": kubectl("-o: --output: --namespaced"), "explain": kubectl("--recursive"),
		"config current-context": kubectl(""), "config get-contexts": kubectl("-o: --output:"),
	}},
}

// containers returns the docker commands that only show something and read no file of the folder. The words after the
// container of top are options of ps, even without a dash.
func containers() *program {
	show := func(opts string) *form { return &form{opts: optionsOf(opts), operands: data, noEnd: true} }
	return &program{forms: map[string]*form{
		"ps": show("-a -q -n: -s -l -f: --all --quiet --last: --size --latest --filter: --format: --no-trunc"), "images": show("-a -q -f: --all --quiet --filter: --format: --no-trunc --digests"),
		"logs": show("-f -n: -t --follow --tail: --since: --until: --timestamps --details"), "inspect": show("-s -f: --size --format: --type:"), "version": show("-f: --format:"), "info": show("-f: --format:"),
		"port": show(""), "top": {operands: data, most: 1, noEnd: true}, "stats": show("-a --all --no-stream --no-trunc --format:"), "diff": show(""), "history": show("-q -H --quiet --human --no-trunc --format:"),
		"volume ls": show("-q -f: --quiet --filter: --format:"), "network ls": show("-q -f: --quiet --filter: --format: --no-trunc"), "container ls": show("-a -q -f: --all --quiet --filter: --format:"), "image ls": show("-a -q -f: --all --quiet --filter: --format:"),
	}}
}

// plainOutput reports whether the output format of kubectl isn't read from a file.
var plainOutput = values(func(value string) bool {
	format, _, _ := strings.Cut(value, "=")
	return slices.Contains([]string{"", "json", "yaml", "wide", "name", "jsonpath", "custom-columns", "go-template"}, format)
}, "-o", "--output")

func kubectl(opts string) *form {
	return &form{opts: optionsOf(opts, "-n: --namespace:"), operands: data, noEnd: true, check: func(u *Use) bool {
		for _, o := range u.operands {
			if strings.Contains(strings.ToLower(o.text), "secret") {
				return false
			}
		}
		return plainOutput(u)
	}}
}
