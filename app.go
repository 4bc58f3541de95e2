package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"
	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	desktop "github.com/wailsapp/wails/v2/pkg/runtime"

	"weft/backend/atomicfile"
	"weft/backend/beside"
	"weft/backend/clip"
	"weft/backend/command"
	panel "weft/backend/desktop"
	"weft/backend/editor"
	"weft/backend/export"
	"weft/backend/fault"
	"weft/backend/httpapi"
	"weft/backend/relay"
	"weft/backend/service"
	"weft/backend/service/exports"
	"weft/backend/service/files"
	"weft/backend/service/ref"
	"weft/backend/service/rules"
	"weft/backend/service/transcripts"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/transcript"
	"weft/backend/update"
	"weft/frontend"
)

//go:embed build/appicon.png
var icon []byte

// eventName is the one Wails event that carries everything; see docs/decisions/0001.
const eventName = "weft"

// App is the face of Weft for its window. Its one bound method leads to the same commands
// that weft serve offers over HTTP.
type App struct {
	begun   *starting // the service, while it is opened; the next four are there when it is open
	service *service.Service
	log     zerolog.Logger
	pump    *relay.Pump
	own     []command.Command // those of the window alone
	running *update.Running   // nil where Weft doesn't replace itself
	first   opening           // what is shown first
	ctx     context.Context   //nolint:containedctx // what Wails wants for every call of its runtime

	show      sync.Once // shows what is shown first, when the page is there
	noticesOn sync.Once // starts the desktop's notices when the first is shown, where Wails shows them
	noNotices error     // why there are none
	notices   *panel.Notices
	leadsTo   sync.Map // the request that a click on a notice shows, by the key of the notice
	autostart *panel.Autostart
	closing   closing
	tray      trayIcon
	words     words // of what is shown outside of the page
	picture   firstPicture
	place     placing
}

// Invoke runs a command: the JSON of its request in, the JSON of its answer out. An
// error is the JSON {"code","message","detail"}. It never panics.
func (a *App) Invoke(method, request string) (string, error) {
	result, err := a.invoke(method, []byte(request))
	if err != nil {
		raw, encErr := json.Marshal(service.Fault(err).Wire(), command.Wire)
		if encErr != nil {
			return "", errors.New(`{"code":"internal","message":"Something went wrong in Weft.","detail":""}`)
		}
		return "", errors.New(string(raw))
	}
	return string(result), nil
}

func (a *App) invoke(method string, request []byte) ([]byte, error) {
	a.picture.calls.Add(1)
	defer a.picture.calls.Add(-1)
	<-a.begun.done
	if a.begun.err != nil {
		return nil, notStarted(a.begun.err)
	}
	for _, c := range a.own {
		if c.Name == method {
			return c.Run(a.ctx, request)
		}
	}
	return a.service.Call(a.ctx, method, request)
}

// commands are those that only the window has.
func (a *App) commands() []command.Command {
	return service.WindowCommands(service.Window{
		Watch: a.watch, Unwatch: a.unwatch, Ack: a.ack, PickFolder: a.pickFolder, SavePermissionHistory: a.saveHistory,
		SaveExport: a.saveExport, ShowFile: a.showFile, OpenLink: a.openLink, Notify: a.notify,
		Background: a.background, SaveBackground: a.saveBackground, SetWords: a.setWords, CloseWindow: a.closeWindow,
	}).Commands
}

// watch starts a space's events after a place. An empty space id starts the app's topic.
func (a *App) watch(_ context.Context, r transcripts.SinceRequest) (command.None, error) {
	if r.SpaceID == "" {
		a.pump.Reset() // a page that starts, or starts again, knows nothing of earlier payloads
		err := a.pump.Watch(relay.AppTopic, 0, 0, nil)
		a.begun.pageBegins()
		a.show.Do(func() {
			isUp(a.running, a.log)
			a.closing.pageIsThere()
			if a.first.asked() {
				a.first.show(a.service)
			}
		})
		return command.None{}, err
	}
	return command.None{}, a.pump.Watch(relay.SpaceTopic(r.SpaceID), r.Epoch, r.Seq, func() ([]transcript.Event, bool, error) {
		return a.service.Store().Events.Since(r.SpaceID, r.Epoch, r.Seq)
	})
}

func (a *App) unwatch(_ context.Context, r ref.SpaceRef) (command.None, error) {
	a.pump.Unwatch(relay.SpaceTopic(r.SpaceID))
	return command.None{}, nil
}

func (a *App) ack(_ context.Context, r service.AckRequest) (command.None, error) {
	a.pump.Ack(r.Bytes)
	return command.None{}, nil
}

func (a *App) pickFolder(_ context.Context, r files.FolderRequest) (service.PickedPath, error) {
	dir := r.Path
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir, _ = os.UserHomeDir()
	}
	w := a.words.now()
	nameButtons(w.Open, w.Cancel)
	picked, err := desktop.OpenDirectoryDialog(a.ctx, desktop.OpenDialogOptions{
		Title: w.ChooseFolder, DefaultDirectory: dir, CanCreateDirectories: true,
	})
	if err != nil {
		return service.PickedPath{}, fault.New("dialog", "Couldn't open the folder dialog: {{reason}}", err).Because(err)
	}
	return service.PickedPath{Path: picked}, nil
}

// saveHistory asks for a file and writes the history of permissions into it. An empty path means that
// the user did not choose one.
func (a *App) saveHistory(_ context.Context, r service.SaveHistoryRequest) (service.PickedPath, error) {
	path, err := a.askForFile(a.words.now().SaveHistory, rules.ExportName(r.Format, time.Now()))
	if err != nil || path == "" {
		return service.PickedPath{}, err
	}
	err = atomicfile.Stream(path, 0o600, func(w io.Writer) error {
		return a.service.Rules().ExportHistory(a.ctx, r.HistoryRequest, r.Format, w)
	})
	if err != nil {
		return service.PickedPath{}, export.Explain(path, err)
	}
	return service.PickedPath{Path: path}, nil
}

// saveExport asks for a file and exports into it. An empty path means that the user did not choose one.
func (a *App) saveExport(_ context.Context, r service.SaveExportRequest) (exports.ExportResult, error) {
	return a.service.Exports().ToFile(a.ctx, r.ID, r.ExportRequest, func(name string) (string, error) {
		return a.askForFile(a.words.now().ExportConversation, name)
	})
}

// askForFile asks where to write a file. An empty path means that the user did not choose one.
func (a *App) askForFile(title, name string) (path string, err error) {
	w := a.words.now()
	nameButtons(w.Save, w.Cancel)
	path, err = desktop.SaveFileDialog(a.ctx, desktop.SaveDialogOptions{Title: title, DefaultFilename: name, CanCreateDirectories: true})
	if err != nil {
		return "", fault.New("dialog", "Couldn't open the dialog: {{reason}}", err).Because(err)
	}
	return path, nil
}

// showFile shows a file in the file manager: only one that was exported, because the page must not open others.
func (a *App) showFile(_ context.Context, r service.FileRef) (command.None, error) {
	if !a.service.Exports().Wrote(r.Path) {
		return command.None{}, fault.New("invalid", "Only exported files can be shown.")
	}
	if err := editor.Reveal(a.ctx, r.Path); err != nil {
		return command.None{}, err
	}
	return command.None{}, nil
}

func (a *App) openLink(_ context.Context, r service.LinkRequest) (command.None, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return command.None{}, fault.New("invalid", "Only web and mail addresses can be opened.").Because(err)
	}
	// The runtime refuses these characters, which are fine in an address.
	escaped := strings.NewReplacer("(", "%28", ")", "%29", "~", "%7E", "!", "%21", "*", "%2A", "[", "%5B", "]", "%5D", "{", "%7B", "}", "%7D").Replace(u.String())
	desktop.BrowserOpenURL(a.ctx, escaped)
	return command.None{}, nil
}

// backgroundKey is the notice that Weft keeps running. It is the id of no space.
const backgroundKey = ""

// notify tells something through the desktop, without known secrets. A click on it brings the window to the front and
// shows the request, or the space.
func (a *App) notify(ctx context.Context, r service.NotifyRequest) (command.None, error) {
	var err error
	title, body := clip.Line(a.desk().Withhold(r.Title), maxNoticeTitle), clip.Line(a.desk().Withhold(r.Body), maxNoticeBody)
	a.leadsTo.Store(r.SpaceID, r.RequestID)
	if runtime.GOOS == "linux" {
		err = a.notices.Show(ctx, panel.Notice{Key: r.SpaceID, Title: title, Body: body, Show: a.words.now().Show, Urgent: r.Urgent})
	} else {
		err = a.notifyByWails(desktop.NotificationOptions{ID: r.SpaceID, Title: title, Body: body})
	}
	if err != nil {
		return command.None{}, fault.New("unavailable", "Couldn't show the notification: {{reason}}.", err).Because(err)
	}
	return command.None{}, nil
}

// The bytes of a notice that are shown. Desktops cut them further.
const (
	maxNoticeTitle = 120
	maxNoticeBody  = 400
)

func (a *App) notifyByWails(o desktop.NotificationOptions) error {
	a.noticesOn.Do(func() {
		if a.noNotices = desktop.InitializeNotifications(a.ctx); a.noNotices != nil {
			a.log.Warn().Err(a.noNotices).Msg("the desktop shows no notices")
			return
		}
		desktop.OnNotificationResponse(a.ctx, func(result desktop.NotificationResult) {
			if result.Error == nil {
				a.clicked(result.Response.ID)
			}
		})
	})
	if a.noNotices != nil {
		return a.noNotices
	}
	return desktop.SendNotification(a.ctx, o)
}

// clicked shows what a notice was about.
func (a *App) clicked(key string) {
	a.front()
	if key == backgroundKey {
		return
	}
	request, _ := a.leadsTo.Load(key)
	id, _ := request.(string)
	a.desk().ShowRequest(key, id)
}

// front brings the window to the front.
func (a *App) front() {
	a.tray.hide()
	desktop.WindowShow(a.ctx)
	desktop.WindowUnminimise(a.ctx)
	desktop.Show(a.ctx)
	a.picture.watch(a.log)
}

// goBehind hides the window. An icon in the panel brings it back, or a notice says how.
func (a *App) goBehind() {
	a.rememberPlace()
	desktop.WindowHide(a.ctx)
	a.showIcon()
	a.sayIsBehind()
}

// showIcon shows the icon in the panel that brings the window back.
func (a *App) showIcon() {
	w := a.words.now()
	a.tray.show(a.log, func() (*panel.Tray, error) {
		img, err := png.Decode(bytes.NewReader(icon))
		if err != nil {
			return nil, err
		}
		return panel.NewTray(panel.TrayOptions{Title: "Weft", Icon: img, Show: a.front, Quit: a.askToQuit, ShowName: w.ShowWindow, QuitName: w.QuitWeft})
	})
}

// sayIsBehind says with a notice how the window comes back, where it is away and no icon in the panel does that.
func (a *App) sayIsBehind() {
	if !a.tray.missing() {
		return
	}
	w := a.words.now()
	said := service.NotifyRequest{SpaceID: backgroundKey, Title: w.Background, Body: w.BackgroundNote}
	if _, err := a.notify(a.ctx, said); err != nil {
		a.log.Info().Err(err).Msg("no notice says that Weft keeps running")
	}
}

func (a *App) desk() service.Desk { return service.DeskOf(a.service) }

// beforeClose decides what happens when the window is closed; true keeps Weft running.
func (a *App) beforeClose(ctx context.Context) bool {
	if !a.begun.open() {
		return false
	}
	working := a.desk().Working(ctx)
	switch a.closing.next(a.desk().KeepsRunning(), working) {
	case goBehind:
		a.goBehind()
	case askInPage:
		a.front()
		a.desk().AskToClose(working)
	case comeToFront:
		a.front()
	case askOutside:
		a.front()
		quits := a.quitsAnyway()
		a.closing.answeredOutside()
		if !quits {
			return true
		}
		a.rememberPlace()
		return false
	default:
		a.rememberPlace()
		return false
	}
	return true
}

// rememberPlace keeps where the window is, if it is on the screen.
func (a *App) rememberPlace() {
	if !a.tray.gone() {
		a.place.remember(a.ctx, a.log)
	}
}

// quitsAnyway asks in a dialog of the desktop whether Weft quits while agents are working.
func (a *App) quitsAnyway() bool {
	w := a.words.now()
	yes, no := "Yes", "No" // the names of the answers, which the desktop shows in its language
	if runtime.GOOS == "darwin" {
		yes, no = w.Quit, w.Cancel // there they are what is shown
	}
	nameButtons(w.Quit, w.Cancel)
	answer, err := desktop.MessageDialog(a.ctx, desktop.MessageDialogOptions{
		Type: desktop.QuestionDialog, Title: w.QuitWeft, Message: w.StopAgents, Buttons: []string{yes, no}, DefaultButton: no, CancelButton: no,
	})
	return err != nil || answer == yes
}

// quit ends Weft without asking.
func (a *App) quit() {
	a.closing.quit()
	endDialogs()
	desktop.Quit(a.ctx)
}

// askToQuit ends Weft, after a question if agents are working.
func (a *App) askToQuit() {
	if working := a.desk().Working(a.ctx); working > 0 && a.closing.ask() {
		a.front()
		a.desk().AskToClose(working)
		return
	}
	a.quit()
}

func (a *App) setWords(_ context.Context, told service.Words) (command.None, error) {
	a.words.take(told)
	w := a.words.now()
	a.tray.rename(w.ShowWindow, w.QuitWeft)
	a.sayIsBehind() // after a start without the window: now that can be said in its language
	return command.None{}, nil
}

func (a *App) closeWindow(_ context.Context, r service.CloseWindowRequest) (command.None, error) {
	a.closing.answered()
	switch r.How {
	case "quit":
		a.quit()
	case "background":
		a.goBehind()
	}
	return command.None{}, nil
}

func (a *App) background(context.Context, command.None) (service.Background, error) {
	out := service.Background{WhenClosed: settings.ClosedQuit, Tray: a.tray.shown()}
	if a.desk().KeepsRunning() {
		out.WhenClosed = settings.ClosedBackground
	}
	var err error
	if out.AtLogin, err = a.autostart.On(); err != nil {
		out.LoginError = err.Error()
	}
	return out, nil
}

func (a *App) saveBackground(ctx context.Context, r service.SaveBackgroundRequest) (service.Background, error) {
	if r.WhenClosed != nil {
		if err := a.desk().SetWhenClosed(*r.WhenClosed); err != nil {
			return service.Background{}, err
		}
	}
	if r.AtLogin != nil {
		if err := a.autostart.Set(*r.AtLogin); err != nil {
			return service.Background{}, err
		}
	}
	return a.background(ctx, command.None{})
}

// openWindow runs the window until it is closed and returns the exit code.
func openWindow(ctx context.Context, c common, at opening) int {
	running := begin(beside.Follow)
	defer running.Close()
	a := &App{running: running, first: at, ctx: ctx, autostart: c.autostart()}
	a.notices = panel.NewNotices(a.clicked)
	var restart atomic.Bool
	a.begun = startService(ctx, c, func() {
		restart.Store(true)
		a.quit()
	}, a.opened)
	if err := a.begun.lock(); err != nil {
		if fault.CodeOf(err) == store.CodeInUse {
			// Another one may have begun just before.
			if code, done := handOver(ctx, c, at, startsIn); done {
				running.Excuse()
				return code
			}
		}
		if notItsFault(err) {
			running.Excuse()
		}
		return troubleWindow(ctx, c, err)
	}
	dir, _ := c.dataDir() // it is locked
	a.picture.begin(dir, at.behind, func() bool {
		if a.desk().Working(ctx) > 0 {
			return false
		}
		running.Excuse() // nothing of it was seen, but it has started
		restart.Store(true)
		a.quit()
		return true
	})
	defer a.picture.end()
	a.place.begin(dir)
	o := a.options()
	o.StartHidden = at.behind
	if err := wails.Run(o); err != nil {
		fmt.Fprintf(stderr(), "weft: couldn't open the window: %v. Run `weft serve` to use Weft in a browser.\n", err)
		<-a.begun.done
		if a.begun.err == nil {
			a.log.Error().Err(err).Msg("the window could not be opened")
			closeService(a.service.Close, a.log, closesIn)
		}
		return 1
	}
	if err := a.begun.err; err != nil {
		if notItsFault(err) {
			running.Excuse()
		}
		return 1
	}
	if restart.Load() {
		running.Close()
		restartAs(beside.Follow, os.Args[1:])
	}
	return 0
}

// opened takes the service over.
func (a *App) opened(s *service.Service, log zerolog.Logger) {
	a.service, a.log = s, log
	if err := a.autostart.Renew(); err != nil {
		log.Warn().Err(err).Msg("the entry that starts Weft with the system could not be renewed")
	}
	a.pump = relay.NewPump(s.Relay(), func(payload string) {
		desktop.EventsEmit(a.ctx, eventName, payload)
	})
	a.own = a.commands()
}

// options are those of the window.
func (a *App) options() *options.App {
	o := windowOptions()
	if a.begun.look().Theme == "dark" {
		o.BackgroundColour = darkPage
	}
	a.place.size(o)
	files := frontend.Files().In(func() frontend.Look { return lookOf(a.begun.look(), systemLanguages(os.Getenv)) })
	o.AssetServer = &assetserver.Options{Assets: files, Handler: a.begun, Middleware: func(next http.Handler) http.Handler {
		return httpapi.Secure(notInherited(a.begun.whenOpen(next, func() {
			if a.first.behind {
				desktop.WindowShow(a.ctx)
			}
		})))
	}}
	o.Bind = []any{a}
	o.OnBeforeClose = a.beforeClose
	handedOver, stop := func() {}, func() bool { return true }
	up := make(chan struct{})
	o.OnStartup = func(ctx context.Context) {
		defer close(up)
		before := a.ctx
		a.ctx = ctx
		a.place.put(ctx, o)
		stop = context.AfterFunc(before, a.quit)
		<-a.begun.done
		if err := a.begun.err; err != nil {
			complain(err)
			return
		}
		if a.first.behind {
			a.showIcon() // before anyone can ask for the window
			if a.words.known() {
				a.sayIsBehind()
			}
		}
		handedOver = takeCommands(a.service, shows{front: a.front}, a.log)
		if !a.first.behind {
			a.picture.watch(a.log)
		}
	}
	o.OnShutdown = func(ctx context.Context) {
		<-up
		stop()
		if a.begun.err != nil {
			return
		}
		a.tray.hide()
		a.notices.Close()
		a.noticesOn.Do(func() { a.noNotices = context.Canceled })
		if a.noNotices == nil {
			desktop.CleanupNotifications(ctx)
		}
		a.pump.Close()
		handedOver()
		closeService(a.service.Close, a.log, closesIn)
	}
	return o
}

func windowOptions() *options.App {
	return &options.App{
		Title: "Weft", Width: 1280, Height: 832, MinWidth: 480, MinHeight: 420,
		BackgroundColour:         lightPage,
		EnableDefaultContextMenu: true,
		Logger:                   logger.NewDefaultLogger(),
		LogLevelProduction:       logger.ERROR,
		Menu:                     appMenu(),
		Linux:                    &linux.Options{Icon: icon, ProgramName: "weft", WebviewGpuPolicy: gpuPolicy()},
		Mac:                      &mac.Options{About: &mac.AboutInfo{Title: "Weft", Message: "Version " + version, Icon: icon}},
	}
}

// gpuPolicy leaves the GPU alone where there is none: without one, what looks like acceleration is
// done by the processor, and the window takes a fifth longer to come up. NVIDIA's own driver and
// WebKitGTK draw empty windows together.
func gpuPolicy() linux.WebviewGpuPolicy {
	found, _ := filepath.Glob("/dev/dri/renderD*")
	if _, err := os.Stat("/proc/driver/nvidia"); err == nil || len(found) == 0 {
		return linux.WebviewGpuPolicyNever
	}
	return linux.WebviewGpuPolicyOnDemand
}

// appMenu is nil but on macOS, where copy and paste come from the menu.
func appMenu() *menu.Menu {
	if runtime.GOOS == "darwin" {
		return menu.NewMenuFromItems(menu.AppMenu(), menu.EditMenu(), menu.WindowMenu())
	}
	return nil
}

// troubleWindow shows why Weft cannot start: who starts it from a menu sees no terminal.
func troubleWindow(ctx context.Context, c common, why error) int {
	complain(why)
	o := (&App{ctx: ctx, begun: failedStart(c, why)}).options()
	o.Width, o.Height = 640, 480
	o.OnStartup = func(window context.Context) {
		context.AfterFunc(ctx, func() { desktop.Quit(window) })
	}
	o.OnShutdown = nil // there is nothing to close
	if err := wails.Run(o); err != nil {
		fmt.Fprintf(stderr(), "weft: %v\n", err)
	}
	return 1
}
