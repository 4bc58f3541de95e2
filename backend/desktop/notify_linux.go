package desktop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	noticesName = "org.freedesktop.Notifications"
	noticesPath = "/org/freedesktop/Notifications"
	// answerIn is the timeout for replies from programs of the desktop.
	answerIn = 5 * time.Second
)

// Notice is a desktop notification.
type Notice struct {
	Key   string // a notice replaces a shown one with the same key
	Title string
	Body  string
	Show  string // the label of the click action
	// Urgent notices stay until the user reacts; desktops don't hide them automatically.
	Urgent bool
}

// Notices shows notifications through the session bus. It doesn't poll, and connects only for the first notice.
type Notices struct {
	clicked func(key string)

	mu      sync.Mutex
	conn    *dbus.Conn
	markup  bool // whether the desktop reads the body as markup
	actions bool
	shown   map[string]uint32 // by key
}

// NewNotices returns Notices that call clicked with the key of each notice that the user clicks.
func NewNotices(clicked func(key string)) *Notices {
	return &Notices{clicked: clicked, shown: map[string]uint32{}}
}

// Show shows a notice. It blocks until the desktop replies, for at most 5 s.
func (n *Notices) Show(ctx context.Context, notice Notice) error {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.connect(ctx); err != nil {
		return err
	}
	body := notice.Body
	if n.markup {
		body = plain.Replace(body) // text from agents is never markup
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("weft"), "category": dbus.MakeVariant("im"), "urgency": dbus.MakeVariant(byte(1))}
	if notice.Urgent {
		hints["urgency"] = dbus.MakeVariant(byte(2))
	}
	actions := []string{}
	if n.actions {
		actions = []string{"default", notice.Show}
	}
	var id uint32
	err := n.conn.Object(noticesName, noticesPath).CallWithContext(ctx, noticesName+".Notify", 0,
		"Weft", n.shown[notice.Key], "weft", notice.Title, body, actions, hints, int32(-1)).Store(&id)
	if err != nil {
		return fmt.Errorf("show a notification: %w", err)
	}
	n.shown[notice.Key] = id
	return nil
}

var plain = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// connect connects to the session bus and queries the capabilities of the desktop. The caller holds the lock.
func (n *Notices) connect(ctx context.Context) error {
	if n.conn != nil && n.conn.Connected() {
		return nil
	}
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return fmt.Errorf("connect to the desktop: %w", err)
	}
	var can []string
	err = conn.Object(noticesName, noticesPath).CallWithContext(ctx, noticesName+".GetCapabilities", 0).Store(&can)
	if err == nil {
		err = conn.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(noticesPath), dbus.WithMatchInterface(noticesName))
	}
	if err != nil {
		_ = conn.Close()
		return fmt.Errorf("no program of the desktop shows notifications: %w", err)
	}
	n.conn, n.markup, n.actions = conn, slices.Contains(can, "body-markup"), slices.Contains(can, "actions")
	clear(n.shown)
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	go n.follow(signals)
	return nil
}

// follow handles clicks until the connection ends.
func (n *Notices) follow(signals <-chan *dbus.Signal) {
	for s := range signals {
		if len(s.Body) == 0 {
			continue
		}
		id, ok := s.Body[0].(uint32)
		if !ok {
			continue
		}
		switch s.Name {
		case noticesName + ".ActionInvoked":
			if key, ok := n.key(id, false); ok {
				n.clicked(key)
			}
		case noticesName + ".NotificationClosed":
			n.key(id, true)
		}
	}
}

// key returns the key of a shown notice. If gone is set, it also removes the notice.
func (n *Notices) key(id uint32, gone bool) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for key, one := range n.shown {
		if one == id {
			if gone {
				delete(n.shown, key)
			}
			return key, true
		}
	}
	return "", false
}

// Close closes the connection. Shown notices stay.
func (n *Notices) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn != nil {
		_ = n.conn.Close()
	}
}
