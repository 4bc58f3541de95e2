package builtin

import (
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/secret"
)

// hideKeys tells the redactor the secrets that MCP servers are given, for what their tools print.
func (a *agent) hideKeys(list []acp.McpServer) {
	hide := func(name, value string) {
		if secret.Variable(strings.ReplaceAll(name, "-", "_")) && secret.Telling(value) {
			a.keys.hide.Add(value)
		}
	}
	headers := func(list []acp.HttpHeader) {
		for _, h := range list {
			if strings.EqualFold(h.Name, "Authorization") {
				// The redactor also looks for what is behind the scheme.
				a.keys.hide.Add(h.Value)
			}
			hide(h.Name, h.Value)
		}
	}
	for _, server := range list {
		switch {
		case server.Stdio != nil:
			for _, v := range server.Stdio.Env {
				hide(v.Name, v.Value)
			}
		case server.Http != nil:
			headers(server.Http.Headers)
		case server.Sse != nil:
			headers(server.Sse.Headers)
		}
	}
}
