package agentauth

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
)

func TestMethodsAreKnownFromLastWord(t *testing.T) {
	t.Parallel()
	ways := func(id string) []acp.AuthMethod { return []acp.AuthMethod{{ID: id}} }
	plain := &acp.RPCError{Code: acp.CodeAuthRequired}
	named := &acp.RPCError{Code: acp.CodeAuthRequired, Data: jsontext.Value(`{"authMethods":[{"id":"named"}]}`)}
	var k Known
	if list := k.Refused(nil, plain); len(list) != 0 {
		t.Errorf("before anything was said: %v", list)
	}
	k.Offered(ways("told"))
	for i, c := range []struct {
		told []acp.AuthMethod
		err  error
		want string
	}{{nil, plain, "told"}, {ways("now"), named, "now"}, {nil, named, "named"}, {nil, plain, "named"}} {
		if list := k.Refused(c.told, c.err); len(list) != 1 || list[0].ID != c.want || k.List()[0].ID != c.want {
			t.Errorf("%d: %v, then %v, want %s", i, list, k.List(), c.want)
		}
	}
}
