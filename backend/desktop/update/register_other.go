//go:build !windows

package update

// register has nothing to do: only Windows keeps a list of what replaces itself.
func (p *Place) register(string) error { return nil }
