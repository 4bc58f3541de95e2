// Package desktop is the room of the system around the page: what Weft needs from the desktop and from the machine
// besides its agents. The package itself starts Weft at sign-in, and shows notifications and an icon in the panel, in
// the words of the page.
//
// It promises the same functions on each system: where a feature is missing, they do nothing or fail with
// [errors.ErrUnsupported]. Requests to programs of the desktop have a time limit.
//
// It knows no spaces, agents or commands of the app: what a notification says, or which file is opened, comes from
// callers.
//
//	editor       opens files in the user's editor, at a line
//	handover     lets a command use the Weft that already runs
//	window       the window besides its page: place, first picture, closing, how WebKitGTK draws (decisions 0053, 0056)
//	update       finds, checks and installs newer versions (decision 0051)
//	desktoptest  plays a desktop in tests
package desktop
