// Package base is the room of helpers that know nothing of Weft's subjects: any other room may import them, and they
// import only each other. A helper that only one room needs belongs to that room.
//
// What they promise is in each package: most are pure, and those that read what others wrote bound how much. They never
// read the settings, the database or a space, and never decide anything for the user.
//
//	beside       finds and starts the programs that are shipped beside weft
//	clip         bounds and cleans text that someone else wrote
//	command      what a command of the app is
//	commandline  the form of options, and output that can't steer the terminal
//	fault        errors with a code and a translatable sentence; the list of all codes
//	fetch        reads what a server sends, with limits
//	httpguard    limits for clients that have not authenticated; requests from other sites
//	lazyregexp   regular expressions that are compiled when they are first used
//	link         links to places in conversations: weft://space/… (decision 0045)
//	patch        parses and applies patches: apply_patch and unified diffs
//	pathname     paths that agents name, as the system reads them: drives, shares, streams, devices
//	private      keeps Weft's files from other users of the machine
//	quantity     amounts in sentences
//	raced        reports whether the race detector is on
//	rest         returns memory to the system when Weft is idle
//	scan         finds values in JSON without decoding it
//	simtest      histories from seeds, with goroutines and a clock that happen one at a time
package base
