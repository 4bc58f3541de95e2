// Package statusword maps words of other programs to the statuses of a tool call.
package statusword

import (
	"strings"

	"weft/backend/conversation/transcript"
)

// statuses maps the words, in lower case without spaces, hyphens and underscores.
var statuses = words(map[transcript.Status]string{
	transcript.StatusPending:   "pending queued scheduled created new todo notstarted initialized ready inputstreaming partialcall",
	transcript.StatusRunning:   "inprogress running active executing started starting working processing streaming ongoing incomplete inputavailable call approvalresponded",
	transcript.StatusWaiting:   "waiting awaiting awaitingapproval awaitingpermission requiresaction needsapproval blocked approvalrequested",
	transcript.StatusCompleted: "completed complete success succeeded successful ok done finished passed outputavailable result",
	transcript.StatusFailed:    "failed failure fail error errored timeout timedout crashed exception outputerror",
	transcript.StatusCancelled: "cancelled canceled cancel aborted abort interrupted stopped terminated killed skipped",
	transcript.StatusRejected:  "rejected denied refused declined disallowed outputdenied",
})

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func words(of map[transcript.Status]string) map[string]transcript.Status {
	all := map[string]transcript.Status{}
	for s, list := range of {
		for w := range strings.FieldsSeq(list) {
			all[w] = s
		}
	}
	return all
}

// Status returns the status that a word means in any program's protocol, and whether the word is known.
func Status(word string) (s transcript.Status, known bool) {
	if len(word) > 40 { // avoids copying something long
		return "", false
	}
	s, known = statuses[separators.Replace(strings.ToLower(word))]
	return s, known
}
