package window

import "testing"

func TestLanguagesOfTheEnvironmentAreTagsOfABrowser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"LANG": "de_AT.UTF-8"}, "de-AT"},
		{map[string]string{"LANG": "zh_CN.GB18030"}, "zh-CN"},
		{map[string]string{"LANG": "ca_ES@valencia"}, "ca-ES"},
		{map[string]string{"LANG": "ja"}, "ja"},
		{map[string]string{"LANG": "es_419"}, "es-419"},
		{map[string]string{"LANG": "C.UTF-8"}, "en"},
		{map[string]string{"LANG": "POSIX"}, "en"},
		{map[string]string{"LANG": "C.UTF-8", "LANGUAGE": "de"}, "en"},
		{map[string]string{"LANG": "en_US.UTF-8", "LANGUAGE": "de:es:"}, "de,es,en-US"},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en-GB"},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_MESSAGES": "en_GB.UTF-8", "LC_ALL": "C"}, "en"},
		{map[string]string{"LANG": `"><script>`}, "en"},
	} {
		if got := Languages(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}
