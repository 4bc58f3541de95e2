package update

import (
	"strings"

	"golang.org/x/sys/windows/registry"
)

// register writes the version where Windows lists the apps that are installed, if the one there is that of the place.
func (p *Place) register(version string) error {
	const key = `Software\Microsoft\Windows\CurrentVersion\Uninstall\Weft`
	k, err := registry.OpenKey(registry.CURRENT_USER, key, registry.QUERY_VALUE|registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer k.Close()
	at, _, err := k.GetStringValue("InstallLocation")
	if err != nil || !strings.EqualFold(strings.TrimRight(at, `\`), p.Prefix) {
		return err
	}
	return k.SetStringValue("DisplayVersion", version)
}
