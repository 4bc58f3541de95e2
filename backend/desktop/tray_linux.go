package desktop

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"sync"
	"sync/atomic"

	"github.com/godbus/dbus/v5"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	itemFace    = "org.kde.StatusNotifierItem"
	itemPath    = "/StatusNotifierItem"
	menuFace    = "com.canonical.dbusmenu"
	menuPath    = "/MenuBar"
	propsFace   = "org.freedesktop.DBus.Properties"

	// Signals of a panel that starts, ends, or begins to show icons.
	ownerChanged   = "org.freedesktop.DBus.NameOwnerChanged"
	hostRegistered = ".StatusNotifierHostRegistered"
)

// Tray is an icon in the desktop's panel, as a StatusNotifierItem of the session bus. It only responds to calls. The
// icon appears once there is a panel, and again after the panel restarts.
type Tray struct {
	conn  *dbus.Conn
	menu  *trayMenu
	shown atomic.Bool
}

// NewTray shows an icon, immediately or as soon as there is a panel for icons. It fails if there is no session bus.
func NewTray(opt TrayOptions) (*Tray, error) {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return nil, fmt.Errorf("connect to the desktop: %w", err)
	}
	t := &Tray{conn: conn, menu: newTrayMenu(opt)}
	if err := t.offer(opt); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("offer an icon to the panel: %w", err)
	}
	panels := make(chan *dbus.Signal, 4)
	conn.Signal(panels)
	t.register()
	go func() {
		for s := range panels { // until the connection is closed
			if s.Name == ownerChanged || s.Name == watcherName+hostRegistered {
				t.register()
			}
		}
	}()
	return t, nil
}

// Shown reports whether a panel has the icon.
func (t *Tray) Shown() bool { return t.shown.Load() }

// Rename changes the labels of the menu items, even while the menu is open.
func (t *Tray) Rename(show, quit string) {
	if revision, changed := t.menu.rename([2]string{show, quit}); changed {
		_ = t.conn.Emit(menuPath, menuFace+".LayoutUpdated", revision, int32(0)) // without the bus, there is no icon to rename
	}
}

// Close removes the icon.
func (t *Tray) Close() { _ = t.conn.Close() }

// offer exports the icon on the bus, and subscribes to signals about panels.
func (t *Tray) offer(opt TrayOptions) error {
	for _, e := range []struct {
		face string
		path dbus.ObjectPath
		v    any
	}{
		{itemFace, itemPath, trayItem{opt.Show}},
		{propsFace, itemPath, trayProps{itemFace, map[string]any{
			"Category": "ApplicationStatus", "Id": "weft", "Title": opt.Title, "Status": "Active", "WindowId": int32(0), "IconName": "weft",
			"IconPixmap": []pixmap{pixmapOf(opt.Icon, 32)}, "ItemIsMenu": false, "Menu": dbus.ObjectPath(menuPath),
			"ToolTip": tip{"", []pixmap{}, opt.Title, ""},
		}}},
		{menuFace, menuPath, t.menu},
		{propsFace, menuPath, trayProps{menuFace, map[string]any{"Version": uint32(3), "TextDirection": "ltr", "Status": "normal", "IconThemePath": []string{}}}},
	} {
		if err := t.conn.Export(e.v, e.path, e.face); err != nil {
			return err
		}
	}
	if err := t.conn.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcherName)); err != nil {
		return err
	}
	return t.conn.AddMatchSignal(dbus.WithMatchInterface(watcherName), dbus.WithMatchMember("StatusNotifierHostRegistered"))
}

// register gives the icon to the panel, if there is one.
func (t *Tray) register() {
	ctx, cancel := context.WithTimeout(context.Background(), answerIn)
	defer cancel()
	t.shown.Store(t.registerWith(ctx) == nil)
}

func (t *Tray) registerWith(ctx context.Context) error {
	// Check first, because a name on the bus is useless without a panel.
	watcher := t.conn.Object(watcherName, watcherPath)
	var shows dbus.Variant
	if err := watcher.CallWithContext(ctx, propsFace+".Get", 0, watcherName, "IsStatusNotifierHostRegistered").Store(&shows); err != nil {
		return err
	}
	if on, ok := shows.Value().(bool); ok && !on {
		return errors.New("the desktop shows no icons")
	}
	name := fmt.Sprintf("%s-%d-1", itemFace, os.Getpid())
	if _, err := t.conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil {
		return err
	}
	return watcher.CallWithContext(ctx, watcherName+".RegisterStatusNotifierItem", 0, name).Err
}

// trayItem handles clicks on the icon.
type trayItem struct{ show func() }

func (i trayItem) Activate(int32, int32) *dbus.Error          { go i.show(); return nil }
func (i trayItem) SecondaryActivate(int32, int32) *dbus.Error { go i.show(); return nil }
func (trayItem) ContextMenu(int32, int32) *dbus.Error         { return nil }
func (trayItem) Scroll(int32, string) *dbus.Error             { return nil }

// trayProps are properties that never change.
type trayProps struct {
	face   string
	values map[string]any
}

func (p trayProps) Get(face, name string) (dbus.Variant, *dbus.Error) {
	v, ok := p.values[name]
	if face != p.face || !ok {
		return dbus.Variant{}, dbus.NewError("org.freedesktop.DBus.Error.UnknownProperty", nil)
	}
	return dbus.MakeVariant(v), nil
}

func (p trayProps) GetAll(face string) (map[string]dbus.Variant, *dbus.Error) {
	all := map[string]dbus.Variant{}
	if face == p.face {
		for name, v := range p.values {
			all[name] = dbus.MakeVariant(v)
		}
	}
	return all, nil
}

// trayMenu is the menu of the icon, with two items.
type trayMenu struct {
	runs [2]func()

	mu       sync.Mutex
	names    [2]string
	revision uint32 // of the names
}

func newTrayMenu(opt TrayOptions) *trayMenu {
	return &trayMenu{names: [2]string{opt.ShowName, opt.QuitName}, runs: [2]func(){opt.Show, opt.Quit}, revision: 1}
}

func (m *trayMenu) rename(names [2]string) (revision uint32, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if changed = names != m.names; changed {
		m.names, m.revision = names, m.revision+1
	}
	return m.revision, changed
}

// Types in the signatures of the interface.
type (
	menuNode struct {
		ID       int32
		Props    map[string]dbus.Variant
		Children []dbus.Variant
	}
	menuProps struct {
		ID    int32
		Props map[string]dbus.Variant
	}
	menuEvent struct {
		ID   int32
		Name string
		Data dbus.Variant
		Time uint32
	}
	pixmap struct {
		Width, Height int32
		ARGB          []byte
	}
	tip struct {
		Icon        string
		Pixmaps     []pixmap
		Title, Text string
	}
)

func (m *trayMenu) props(id int32) map[string]dbus.Variant {
	if id < 1 || int(id) > len(m.runs) {
		return map[string]dbus.Variant{"children-display": dbus.MakeVariant("submenu")}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return map[string]dbus.Variant{"label": dbus.MakeVariant(m.names[id-1])}
}

func (m *trayMenu) GetLayout(parent, _ int32, _ []string) (uint32, menuNode, *dbus.Error) {
	m.mu.Lock()
	revision := m.revision // the names may be newer, which a signal then reports
	m.mu.Unlock()
	top := menuNode{parent, m.props(parent), []dbus.Variant{}}
	if parent == 0 {
		for id := int32(1); int(id) <= len(m.runs); id++ {
			top.Children = append(top.Children, dbus.MakeVariant(menuNode{id, m.props(id), []dbus.Variant{}}))
		}
	}
	return revision, top, nil
}

func (m *trayMenu) GetGroupProperties(ids []int32, _ []string) ([]menuProps, *dbus.Error) {
	if len(ids) == 0 {
		ids = []int32{0, 1, 2}
	}
	all := make([]menuProps, len(ids))
	for i, id := range ids {
		all[i] = menuProps{id, m.props(id)}
	}
	return all, nil
}

func (m *trayMenu) GetProperty(id int32, name string) (dbus.Variant, *dbus.Error) {
	if v, ok := m.props(id)[name]; ok {
		return v, nil
	}
	return dbus.Variant{}, dbus.NewError("org.freedesktop.DBus.Error.InvalidArgs", nil)
}

func (m *trayMenu) Event(id int32, name string, _ dbus.Variant, _ uint32) *dbus.Error {
	if name == "clicked" && id >= 1 && int(id) <= len(m.runs) {
		go m.runs[id-1]()
	}
	return nil
}

func (m *trayMenu) EventGroup(events []menuEvent) ([]int32, *dbus.Error) {
	for _, e := range events {
		_ = m.Event(e.ID, e.Name, e.Data, e.Time)
	}
	return []int32{}, nil
}

func (*trayMenu) AboutToShow(int32) (bool, *dbus.Error) { return false, nil }

func (*trayMenu) AboutToShowGroup([]int32) (updates, errs []int32, err *dbus.Error) {
	return []int32{}, []int32{}, nil
}

// pixmapOf returns an image of size × size pixels in the byte order of the bus: alpha, red, green, blue.
func pixmapOf(from image.Image, size int) pixmap {
	if from == nil {
		return pixmap{ARGB: []byte{}}
	}
	out := pixmap{int32(size), int32(size), make([]byte, 0, size*size*4)}
	b := from.Bounds()
	// The mean of the source pixels that one target pixel covers.
	for y := range size {
		for x := range size {
			var r, g, bl, a, n uint64
			for sy := b.Min.Y + y*b.Dy()/size; sy < max(b.Min.Y+(y+1)*b.Dy()/size, b.Min.Y+y*b.Dy()/size+1); sy++ {
				for sx := b.Min.X + x*b.Dx()/size; sx < max(b.Min.X+(x+1)*b.Dx()/size, b.Min.X+x*b.Dx()/size+1); sx++ {
					cr, cg, cb, ca := from.At(sx, sy).RGBA()
					r, g, bl, a, n = r+uint64(cr), g+uint64(cg), bl+uint64(cb), a+uint64(ca), n+1
				}
			}
			c := color.NRGBAModel.Convert(color.RGBA64{uint16(r / n), uint16(g / n), uint16(bl / n), uint16(a / n)}).(color.NRGBA)
			out.ARGB = binary.BigEndian.AppendUint32(out.ARGB, uint32(c.A)<<24|uint32(c.R)<<16|uint32(c.G)<<8|uint32(c.B))
		}
	}
	return out
}
