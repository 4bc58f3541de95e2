package agentauth

import "weft/backend/acp"

// Known are the ways to sign in that an agent has last offered, as it says it, also in sessions before. The zero value has none. It is not safe for
// concurrent use.
type Known struct{ list []acp.AuthMethod }

// Offered notes what the agent offers once it is initialized.
func (k *Known) Offered(list []acp.AuthMethod) { k.list = list }

// Refused returns the ways of an agent that has refused a request with err because the user isn't signed in: those that it has offered since it was
// started, or else those that err names, or else those of a start before. They are known from then on.
func (k *Known) Refused(offered []acp.AuthMethod, err error) []acp.AuthMethod {
	if named := InRefusal(err); len(offered) == 0 && len(named) > 0 {
		offered = named
	}
	if len(offered) == 0 {
		offered = k.list
	}
	k.list = offered
	return offered
}

// List returns them.
func (k *Known) List() []acp.AuthMethod { return k.list }
