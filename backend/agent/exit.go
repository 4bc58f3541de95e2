package agent

import "weft/backend/base/fault"

// Exit is how an agent's process ended.
type Exit struct {
	Code    int    // exit code; 0 if Signal is set
	Signal  string // such as "SIGSEGV"; "" if it exited by itself
	Stopped bool   // Stop was called before it ended
	Lost    bool   // how it ended is unknown, because the supervisor was killed
}

// String returns the second half of a sentence: "exited with code 1".
func (e Exit) String() string { return e.Said().String() }

// Said is like String, with translations.
func (e Exit) Said() fault.Said {
	switch {
	case e.Lost:
		return fault.Say("was killed with its supervisor")
	case e.Signal == "SIGKILL" && !e.Stopped:
		return fault.Say("was killed by SIGKILL (the system does that when memory runs out)")
	case e.Signal != "":
		return fault.Say("was killed by {{signal}}", e.Signal)
	case e.Code == 127:
		return fault.Say("exited with code 127 (a program that it needs wasn't found)")
	case e.Code != 0:
		return fault.Say("exited with code {{code}}", e.Code)
	}
	return fault.Say("exited")
}
