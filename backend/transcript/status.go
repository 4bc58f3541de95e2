package transcript

import "strings"

// statusWords are the words that programs have for the status of a call, without case, spaces, hyphens and underscores.
var statusWords = words(map[Status]string{
	StatusPending:   "pending queued scheduled created new todo notstarted initialized ready",
	StatusRunning:   "inprogress running active executing started starting working processing streaming ongoing incomplete",
	StatusWaiting:   "waiting awaiting awaitingapproval awaitingpermission requiresaction needsapproval blocked",
	StatusCompleted: "completed complete success succeeded successful ok done finished passed",
	StatusFailed:    "failed failure fail error errored timeout timedout crashed exception",
	StatusCancelled: "cancelled canceled cancel aborted abort interrupted stopped terminated killed skipped",
	StatusRejected:  "rejected denied refused declined disallowed",
})

func words(of map[Status]string) map[string]Status {
	all := map[string]Status{}
	for s, list := range of {
		for w := range strings.FieldsSeq(list) {
			all[w] = s
		}
	}
	return all
}

// StatusOf returns the status that a program means by a word, whatever protocol it speaks.
func StatusOf(word string) (s Status, known bool) {
	if len(word) > 40 { // so that nothing long is copied
		return "", false
	}
	s, known = statusWords[strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))]
	return s, known
}
