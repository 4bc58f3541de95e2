package main

import (
	"strings"

	"weft/backend/lazyregexp"
)

// systemLanguages returns the languages that the environment asks for, as a browser has them: "de-AT,en". The window can't be
// asked on Linux: its navigator knows one language, and only if a locale of it is installed. It is empty where the
// environment doesn't say, as on Windows.
func systemLanguages(env func(name string) string) string {
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale = env(name); locale != "" {
			break
		}
	}
	if locale == "" {
		return ""
	}
	asked := []string{locale}
	// As gettext has it, LANGUAGE goes before the locale, but not before a locale that is none.
	if list := env("LANGUAGE"); list != "" && languageTag(locale) != "" {
		asked = append(strings.Split(list, ":"), locale)
	}
	var tags []string
	for _, one := range asked {
		if tag := languageTag(one); tag != "" {
			tags = append(tags, tag)
		}
	}
	if len(tags) == 0 {
		return "en" // C and POSIX are English
	}
	return strings.Join(tags, ",")
}

var localeName = lazyregexp.New(`^([A-Za-z]{2,3})(?:[_-]([A-Za-z]{2}|[0-9]{3}|[A-Za-z]{4}))?(?:[.@].*)?$`)

// languageTag makes "de-AT" of "de_AT.UTF-8@euro". It is empty for what names no language.
func languageTag(locale string) string {
	m := localeName.FindStringSubmatch(locale)
	switch {
	case m == nil:
		return ""
	case m[2] == "":
		return m[1]
	}
	return m[1] + "-" + m[2]
}
