// Command generate writes the types of the frontend and the tables of docs/api.md again.
package main

import (
	"fmt"
	"os"

	"weft/build/contract"
)

func main() {
	if err := contract.Generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
