package secret

// handed is empty: on Windows secrets are handed over in the environment, which only debuggers of the same user read.
func handed() []string { return nil }
