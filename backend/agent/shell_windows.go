package agent

// loginPath returns nil on Windows, where every process gets the user's PATH.
func loginPath(string) []string { return nil }
