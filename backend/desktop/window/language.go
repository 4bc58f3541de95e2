package window

import (
	"strings"

	"weft/backend/base/lazyregexp"
)

// Languages returns the languages that the environment asks for, in the form of a browser: "de-AT,en". It is empty if
// the environment doesn't name any, as on Windows. env returns an environment variable. On Linux the page can't find
// out: its navigator has one language, and only if a locale of it is installed.
func Languages(env func(name string) string) string {
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
	// As in gettext, LANGUAGE comes before the locale, unless the locale is C or POSIX.
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

// languageTag turns "de_AT.UTF-8@euro" into "de-AT". It returns "" if the locale names no language.
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
