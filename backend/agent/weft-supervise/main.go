// Command weft-supervise is `weft supervise` without the rest of Weft. Shipped
// beside the weft binary it is used in its place and saves each agent's start the
// loading of the web view's libraries (build it with CGO_ENABLED=0).
package main

import (
	"os"

	"weft/backend/agent"
)

func main() { os.Exit(agent.SuperviseMain(os.Args[1:])) }
