// Desktoptest plays the role of a desktop on a session bus: it receives notifications and panel icons, prints each as a
// line of JSON, and follows the commands on its input: "click ID" on a notification, "activate" the icon, "menu N" for
// a menu item, "panel" to start a panel, "no panel" to end it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

const (
	notices = "org.freedesktop.Notifications"
	watcher = "org.kde.StatusNotifierWatcher"

	menuFace = "com.canonical.dbusmenu"
)

type desktop struct {
	conn *dbus.Conn
	mu   sync.Mutex
	last uint32
	item string // the name of the icon on the bus
}

func (d *desktop) tell(v map[string]any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func (d *desktop) GetCapabilities() ([]string, *dbus.Error) {
	return []string{"actions", "body", "body-markup"}, nil
}

func (d *desktop) Notify(app string, replaces uint32, _, title, body string, actions []string, hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := replaces
	if id == 0 {
		d.last++
		id = d.last
	}
	d.tell(map[string]any{"notice": id, "app": app, "replaces": replaces, "title": title, "body": body, "actions": actions, "urgency": hints["urgency"].Value()})
	return id, nil
}

func (d *desktop) RegisterStatusNotifierItem(name string) *dbus.Error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.item = name
	go d.tellIcon(name)
	return nil
}

// tellIcon prints an icon and the labels of its menu.
func (d *desktop) tellIcon(name string) {
	item := d.conn.Object(name, "/StatusNotifierItem")
	var props map[string]dbus.Variant
	if err := item.Call("org.freedesktop.DBus.Properties.GetAll", 0, "org.kde.StatusNotifierItem").Store(&props); err != nil {
		d.tell(map[string]any{"error": err.Error()})
		return
	}
	menu, _ := props["Menu"].Value().(dbus.ObjectPath)
	var revision uint32
	var layout struct {
		ID       int32
		Props    map[string]dbus.Variant
		Children []dbus.Variant
	}
	if err := d.conn.Object(name, menu).Call(menuFace+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &layout); err != nil {
		d.tell(map[string]any{"error": err.Error()})
		return
	}
	entries := []string{}
	for _, child := range layout.Children {
		var one struct {
			ID       int32
			Props    map[string]dbus.Variant
			Children []dbus.Variant
		}
		if dbus.Store([]any{child.Value()}, &one) == nil {
			label, _ := one.Props["label"].Value().(string)
			entries = append(entries, label)
		}
	}
	d.tell(map[string]any{"icon": props["Id"].Value(), "menu": entries})
}

// follow rereads a menu when it changes, as panels do.
func (d *desktop) follow(signals <-chan *dbus.Signal) {
	for s := range signals {
		if s.Name != menuFace+".LayoutUpdated" {
			continue
		}
		d.mu.Lock()
		name := d.item
		d.mu.Unlock()
		d.tellIcon(name)
	}
}

// Get reports whether there is a panel.
func (d *desktop) Get(string, string) (dbus.Variant, *dbus.Error) { //nolint:unparam // the bus wants it
	return dbus.MakeVariant(true), nil
}

func main() {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		panic(err)
	}
	d := &desktop{conn: conn}
	names := []string{notices}
	if len(os.Args) > 1 && os.Args[1] == "--panel" {
		names = append(names, watcher)
	}
	for _, e := range []struct {
		path dbus.ObjectPath
		face string
	}{{"/org/freedesktop/Notifications", notices}, {"/StatusNotifierWatcher", watcher}, {"/StatusNotifierWatcher", "org.freedesktop.DBus.Properties"}} {
		if err := conn.Export(d, e.path, e.face); err != nil {
			panic(err)
		}
	}
	for _, name := range names {
		if _, err := conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil {
			panic(err)
		}
	}
	if err := conn.AddMatchSignal(dbus.WithMatchInterface(menuFace)); err != nil {
		panic(err)
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	go d.follow(signals)
	d.tell(map[string]any{"ready": true})
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		what, arg, _ := strings.Cut(in.Text(), " ")
		var n uint32
		_, _ = fmt.Sscan(arg, &n)
		d.mu.Lock()
		item := conn.Object(d.item, "/StatusNotifierItem")
		menu := conn.Object(d.item, "/MenuBar")
		d.mu.Unlock()
		switch what {
		case "panel":
			_, err = conn.RequestName(watcher, dbus.NameFlagDoNotQueue)
		case "no":
			_, err = conn.ReleaseName(watcher)
		case "click":
			err = conn.Emit("/org/freedesktop/Notifications", notices+".ActionInvoked", n, "default")
		case "activate":
			err = item.Call("org.kde.StatusNotifierItem.Activate", 0, int32(0), int32(0)).Err
		case "menu":
			err = menu.Call(menuFace+".Event", 0, int32(n), "clicked", dbus.MakeVariant(""), uint32(0)).Err
		}
		if err != nil {
			d.tell(map[string]any{"error": err.Error()})
		}
	}
}
