package agentauth

import "weft/backend/acp"

// Known has the sign-in methods that an agent last offered, as it sent them, possibly in an earlier session. The zero
// value is empty. It is not safe for concurrent use.
type Known struct{ list []acp.AuthMethod }

// Offered records the methods that the agent offers at initialization.
func (k *Known) Offered(list []acp.AuthMethod) { k.list = list }

// Refused returns the methods for an agent that refused a request with err because the user isn't signed in: the
// offered ones, or those in err, or the last known ones. They become the known ones.
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

// List returns the methods.
func (k *Known) List() []acp.AuthMethod { return k.list }
