package main

import (
	"fmt"
	"strings"
	"time"
)

// man is the page weft(1).
func (c cli) man(version string, date time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH WEFT 1 %q %q \"User commands\"\n", date.Format(time.DateOnly), "Weft "+version)
	b.WriteString(".SH NAME\nweft \\- work with coding agents that speak the Agent Client Protocol\n.SH SYNOPSIS\n")
	b.WriteString(".B weft\n.RI [ option \" ...]\"\n.br\n.B weft\n.I command\n.RI [ option \" ...] [\" argument \" ...]\"\n")
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.PP\nWithout a command, the window is opened. Options are written with one dash or two.\n", roff(c.about))
	b.WriteString(".SH OPTIONS\n")
	manOptions(&b, c.options)
	b.WriteString(".SH COMMANDS\n")
	for _, s := range c.commands {
		fmt.Fprintf(&b, ".SS weft %s\n.nf\n%s\n.fi\n", s.name, roff(s.text))
		manOptions(&b, s.options)
	}
	b.WriteString(`.SH FILES
.TP
.I ~/.local/share/weft
Conversations, earlier versions of files that agents changed, and logs.
.TP
.I ~/.config/weft/settings.json
Settings. You can edit the file.
`)
	return b.String()
}

func manOptions(b *strings.Builder, list []option) {
	for _, o := range list {
		fmt.Fprintf(b, ".TP\n.B \\-\\-%s", roff(o.name))
		if o.value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(o.value))
		}
		b.WriteString("\n")
		if o.about != "" {
			fmt.Fprintf(b, "%s\n", roff(o.about))
		}
	}
}

// roff writes text as roff takes it literally.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "…", `...`, "’", "'").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func names(list []option) string {
	words := make([]string, 0, len(list)+1)
	for _, o := range list {
		words = append(words, "--"+o.name)
	}
	return strings.Join(append(words, "--help"), " ")
}

func (c cli) names() string {
	words := make([]string, 0, len(c.commands))
	for _, s := range c.commands {
		words = append(words, s.name)
	}
	return strings.Join(words, " ")
}

func (c cli) bash() string {
	var b strings.Builder
	b.WriteString(`# Completion of weft for bash.
_weft() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= options= operands=
	[[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]] && command=${COMP_WORDS[1]}
	COMPREPLY=()
	case "$command ${prev#-}" in
`)
	for _, s := range append([]subcommand{{options: c.options}}, c.commands...) {
		for _, o := range s.options {
			if o.value == "" {
				continue
			}
			reply := "return"
			if len(o.choices) > 0 {
				reply = fmt.Sprintf("COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n\t\treturn", strings.Join(o.choices, " "))
			} else if o.file() {
				reply = "compopt -o filenames 2>/dev/null\n\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n\t\treturn"
			}
			fmt.Fprintf(&b, "\t'%s -%s' | '%s %s')\n\t\t%s\n\t\t;;\n", s.name, o.name, s.name, o.name, reply)
		}
	}
	b.WriteString("\tesac\n\tcase $command in\n")
	fmt.Fprintf(&b, "\t'') options='%s' operands=commands ;;\n", names(c.options))
	for _, s := range c.commands {
		kind := map[operand]string{nothing: "none", files: "files", program: "program"}[s.operand]
		fmt.Fprintf(&b, "\t%s) options='%s' operands=%s ;;\n", s.name, names(s.options), kind)
	}
	fmt.Fprintf(&b, `	*) return ;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
	elif [[ $operands == commands && $COMP_CWORD -eq 1 ]]; then
		COMPREPLY=($(compgen -W '%s' -- "$cur"))
	elif [[ $operands == files ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	elif [[ $operands == program ]]; then
		COMPREPLY=($(compgen -c -- "$cur"))
	fi
}
complete -F _weft weft
`, c.names())
	return b.String()
}

func (c cli) zsh() string {
	var b strings.Builder
	b.WriteString("#compdef weft\n# Completion of weft for zsh.\n_weft() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, s := range c.commands {
		fmt.Fprintf(&b, "\t\t%s\n", quote(s.name+":"+strings.ReplaceAll(s.about, ":", `\:`)))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n\t\t_describe -t commands command commands\n\t\treturn\n\tfi\n")
	b.WriteString("\tlocal command=$words[2]\n\tif [[ $command == -* ]]; then\n\t\tcommand=\n\telse\n\t\tshift words\n\t\t(( CURRENT-- ))\n\tfi\n\tcase $command in\n")
	for _, s := range append([]subcommand{{options: c.options}}, c.commands...) {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments", or(s.name, "''"))
		for _, o := range s.options {
			fmt.Fprintf(&b, " \\\n\t\t\t%s", quote(zshOption(o)))
		}
		b.WriteString(" \\\n\t\t\t'--help[show the help]'")
		switch s.operand {
		case files:
			b.WriteString(" \\\n\t\t\t'*:file:_files'")
		case program:
			b.WriteString(" \\\n\t\t\t'*::command:_normal'")
		case nothing:
		}
		b.WriteString("\n\t\t;;\n")
	}
	b.WriteString("\tesac\n}\n_weft \"$@\"\n")
	return b.String()
}

func zshOption(o option) string {
	text := "--" + o.name
	if o.value != "" {
		text += "="
	}
	text += "[" + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(o.about) + "]"
	switch {
	case len(o.choices) > 0:
		text += ":" + o.value + ":(" + strings.Join(o.choices, " ") + ")"
	case o.file():
		text += ":" + o.value + ":_files"
	case o.value != "":
		text += ":" + strings.ReplaceAll(o.value, ":", `\:`) + ":"
	}
	return text
}

func (c cli) fish() string {
	var b strings.Builder
	b.WriteString("# Completion of weft for fish.\ncomplete -c weft -f\n")
	none := "not __fish_seen_subcommand_from " + c.names()
	for _, o := range c.options {
		fishOption(&b, none, o)
	}
	for _, s := range c.commands {
		fmt.Fprintf(&b, "complete -c weft -n %s -a %s -d %s\n", quote(none), s.name, quoteFish(s.about))
		seen := "__fish_seen_subcommand_from " + s.name
		for _, o := range s.options {
			fishOption(&b, seen, o)
		}
		switch s.operand {
		case files:
			fmt.Fprintf(&b, "complete -c weft -n %s -F\n", quote(seen))
		case program:
			fmt.Fprintf(&b, "complete -c weft -n %s -a '(__fish_complete_command)'\n", quote(seen))
		case nothing:
		}
	}
	return b.String()
}

func fishOption(b *strings.Builder, when string, o option) {
	fmt.Fprintf(b, "complete -c weft -n %s -l %s", quote(when), o.name)
	switch {
	case len(o.choices) > 0:
		fmt.Fprintf(b, " -x -a %s", quote(strings.Join(o.choices, " ")))
	case o.file():
		b.WriteString(" -r -F")
	case o.value != "":
		b.WriteString(" -x")
	}
	if o.about != "" {
		fmt.Fprintf(b, " -d %s", quoteFish(o.about))
	}
	b.WriteString("\n")
}

// quote is a string in single quotes for bash and zsh.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quoteFish is the same for fish.
func quoteFish(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
