package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
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

	"weft/backend/api/httpapi"
	"weft/backend/api/service"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/files"
	"weft/backend/api/service/interchange"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/ref"
	"weft/backend/base/beside"
	"weft/backend/base/clip"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/cli"
	"weft/backend/conversation/transcript"
	panel "weft/backend/desktop"
	"weft/backend/desktop/editor"
	"weft/backend/desktop/update"
	"weft/backend/desktop/window"
	"weft/backend/files/atomicfile"
	"weft/backend/interchange/export"
	"weft/backend/settings"
	"weft/backend/store"
	"weft/backend/store/relay"
	"weft/frontend"
)

//go:embed build/appicon.png
var icon []byte

// eventName is the one Wails event that carries everything; see docs/decisions/0001.
const eventName = "weft"

// App is the face of Weft for its window. Its one bound method leads to the same commands
// that weft serve offers over HTTP.
type App struct {
	begun   *cli.Starting // opens the service; the next four are set when it is open
	service *service.Service
	log     zerolog.Logger
	pump    *relay.Pump
	own     []command.Command // those of the window alone
	running *update.Running   // nil where Weft doesn't replace itself
	first   cli.Opening       // what is shown first
	ctx     context.Context   //nolint:containedctx // what Wails wants for every call of its runtime

	show      sync.Once // shows what is shown first, when the page is there
	noticesOn sync.Once // starts the desktop's notices when the first is shown, where Wails shows them
	noNotices error     // why there are none
	notices   *panel.Notices
	leadsTo   sync.Map // the request that a click on a notice shows, by the key of the notice
	autostart *panel.Autostart
	closing   window.Closing
	tray      window.Tray
	texts     panel.Texts // shown outside the page
	picture   window.FirstPicture
	place     window.Placement
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
	a.picture.Calls.Add(1)
	defer a.picture.Calls.Add(-1)
	if err := a.begun.Wait(); err != nil {
		return nil, cli.NotStarted(err)
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
func (a *App) watch(_ context.Context, r conversation.SinceRequest) (command.None, error) {
	if r.SpaceID == "" {
		a.pump.Reset() // a page that starts, or starts again, knows nothing of earlier payloads
		err := a.pump.Watch(relay.AppTopic, 0, 0, nil)
		a.begun.PageLoaded()
		a.show.Do(func() {
			cli.IsUp(a.running, a.log)
			a.closing.PageLoaded()
			if a.first.Asked() {
				a.first.Show(a.service)
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
	w := a.texts.Words()
	window.NameButtons(w.Open, w.Cancel)
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
	path, err := a.askForFile(a.texts.Words().SaveHistory, permissions.ExportName(r.Format, time.Now()))
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
func (a *App) saveExport(_ context.Context, r service.SaveExportRequest) (interchange.ExportResult, error) {
	return a.service.Exports().ToFile(a.ctx, r.ID, r.ExportRequest, func(name string) (string, error) {
		return a.askForFile(a.texts.Words().ExportConversation, name)
	})
}

// askForFile asks where to write a file. An empty path means that the user did not choose one.
func (a *App) askForFile(title, name string) (path string, err error) {
	w := a.texts.Words()
	window.NameButtons(w.Save, w.Cancel)
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
		err = a.notices.Show(ctx, panel.Notice{Key: r.SpaceID, Title: title, Body: body, Show: a.texts.Words().Show, Urgent: r.Urgent})
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
	a.tray.Close()
	desktop.WindowShow(a.ctx)
	desktop.WindowUnminimise(a.ctx)
	desktop.Show(a.ctx)
	a.picture.Watch(a.log)
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
	w := a.texts.Words()
	a.tray.Show(icon, panel.TrayOptions{Title: "Weft", Show: a.front, Quit: a.askToQuit, ShowName: w.ShowWindow, QuitName: w.QuitWeft}, a.log)
}

// sayIsBehind says with a notice how the window comes back, where it is away and no icon in the panel does that.
func (a *App) sayIsBehind() {
	if !a.tray.NeedsNotice() {
		return
	}
	w := a.texts.Words()
	said := service.NotifyRequest{SpaceID: backgroundKey, Title: w.Background, Body: w.BackgroundNote}
	if _, err := a.notify(a.ctx, said); err != nil {
		a.log.Info().Err(err).Msg("no notice says that Weft keeps running")
	}
}

func (a *App) desk() service.Desk { return service.DeskOf(a.service) }

// beforeClose decides what happens when the window is closed; true keeps Weft running.
func (a *App) beforeClose(ctx context.Context) bool {
	if !a.begun.Opened() {
		return false
	}
	working := a.desk().Working(ctx)
	switch a.closing.Next(a.desk().KeepsRunning(), working) {
	case window.Hide:
		a.goBehind()
	case window.AskInPage:
		a.front()
		a.desk().AskToClose(working)
	case window.BringToFront:
		a.front()
	case window.AskInDialog:
		a.front()
		quits := a.quitsAnyway()
		a.closing.DialogAnswered()
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

// placeWindow puts the window where it was. On macOS the system makes it fit into its screen.
func (a *App) placeWindow() {
	if a.place.Put() {
		return
	}
	if a.place.Maximized() {
		desktop.WindowMaximise(a.ctx)
		return
	}
	if runtime.GOOS != "windows" {
		return
	}
	screens, err := desktop.ScreenGetAll(a.ctx)
	if err != nil {
		return // the window keeps its size
	}
	for _, screen := range screens {
		if w, h, smaller := a.place.Fit(screen.Size.Width, screen.Size.Height); screen.IsCurrent && smaller {
			desktop.WindowSetSize(a.ctx, w, h)
			desktop.WindowCenter(a.ctx)
		}
	}
}

// rememberPlace stores where the window is, if it is on the screen. It waits for the window and the disk.
func (a *App) rememberPlace() {
	if a.tray.WindowHidden() || desktop.WindowIsMinimised(a.ctx) || desktop.WindowIsFullscreen(a.ctx) {
		return
	}
	var err error
	if desktop.WindowIsMaximised(a.ctx) {
		err = a.place.RememberMaximized()
	} else {
		x, y := desktop.WindowGetPosition(a.ctx)
		w, h := desktop.WindowGetSize(a.ctx)
		err = a.place.Remember(x, y, w, h)
	}
	if err != nil {
		a.log.Warn().Err(err).Msg("where the window is could not be remembered")
	}
}

// quitsAnyway asks in a dialog of the desktop whether Weft quits while agents are working.
func (a *App) quitsAnyway() bool {
	w := a.texts.Words()
	yes, no := "Yes", "No" // the names of the answers, which the desktop shows in its language
	if runtime.GOOS == "darwin" {
		yes, no = w.Quit, w.Cancel // there they are what is shown
	}
	window.NameButtons(w.Quit, w.Cancel)
	answer, err := desktop.MessageDialog(a.ctx, desktop.MessageDialogOptions{
		Type: desktop.QuestionDialog, Title: w.QuitWeft, Message: w.StopAgents, Buttons: []string{yes, no}, DefaultButton: no, CancelButton: no,
	})
	return err != nil || answer == yes
}

// quit ends Weft without asking.
func (a *App) quit() {
	a.closing.Quitting()
	window.EndDialogs()
	desktop.Quit(a.ctx)
}

// askToQuit ends Weft, after a question if agents are working.
func (a *App) askToQuit() {
	if working := a.desk().Working(a.ctx); working > 0 && a.closing.Ask() {
		a.front()
		a.desk().AskToClose(working)
		return
	}
	a.quit()
}

func (a *App) setWords(_ context.Context, words panel.Words) (command.None, error) {
	a.texts.Set(words)
	w := a.texts.Words()
	a.tray.Rename(w.ShowWindow, w.QuitWeft)
	a.sayIsBehind() // after a start without the window: now that can be said in its language
	return command.None{}, nil
}

func (a *App) closeWindow(_ context.Context, r service.CloseWindowRequest) (command.None, error) {
	a.closing.Answered()
	switch r.How {
	case "quit":
		a.quit()
	case "background":
		a.goBehind()
	}
	return command.None{}, nil
}

func (a *App) background(context.Context, command.None) (service.Background, error) {
	out := service.Background{WhenClosed: settings.ClosedQuit, Tray: a.tray.Shown()}
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
func openWindow(ctx context.Context, c cli.Common, at cli.Opening, trouble error) int {
	if trouble != nil {
		return troubleWindow(ctx, c, trouble)
	}
	window.LeaveConsole()
	running := cli.Begin(beside.Follow)
	defer running.Close()
	a := &App{running: running, first: at, ctx: ctx, autostart: c.Autostart()}
	a.notices = panel.NewNotices(a.clicked)
	var restart atomic.Bool
	a.begun = cli.StartService(ctx, c, func() {
		restart.Store(true)
		a.quit()
	}, a.opened)
	if err := a.begun.WaitLocked(); err != nil {
		if fault.CodeOf(err) == store.CodeInUse {
			// Another one may have begun just before.
			if done, why := cli.HandOver(ctx, c, at, cli.StartsIn); done {
				running.Excuse()
				switch {
				case why == nil:
					return 0
				case fault.CodeOf(why) != store.CodeInUse:
					return cli.Complain(why)
				}
				return troubleWindow(ctx, c, why)
			}
		}
		if cli.NotItsFault(err) {
			running.Excuse()
		}
		return troubleWindow(ctx, c, err)
	}
	dir, _ := c.DataDir() // it is locked
	a.picture.Begin(dir, at.Behind, func() bool {
		if a.desk().Working(ctx) > 0 {
			return false
		}
		running.Excuse() // nothing of it was seen, but it has started
		restart.Store(true)
		a.quit()
		return true
	})
	defer a.picture.End()
	a.place.Read(dir)
	o := a.options()
	o.StartHidden = at.Behind
	if err := wails.Run(o); err != nil {
		fmt.Fprintf(cli.Stderr(), "weft: couldn't open the window: %v. Run `weft serve` to use Weft in a browser.\n", err)
		if a.begun.Wait() == nil {
			a.log.Error().Err(err).Msg("the window could not be opened")
			cli.CloseService(a.service.Close, a.log)
		}
		return 1
	}
	if err := a.begun.Wait(); err != nil {
		if cli.NotItsFault(err) {
			running.Excuse()
		}
		return 1
	}
	if restart.Load() {
		running.Close()
		cli.RestartAs(beside.Follow, os.Args[1:])
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
	c := window.PageColor(a.begun.Appearance().Theme)
	o.BackgroundColour = options.NewRGB(c.R, c.G, c.B)
	o.Width, o.Height = a.place.Size()
	files := frontend.Files().In(func() frontend.Look { return cli.LookOf(a.begun.Appearance(), window.Languages(os.Getenv)) })
	o.AssetServer = &assetserver.Options{Assets: files, Handler: a.begun, Middleware: func(next http.Handler) http.Handler {
		return httpapi.Secure(window.CloseOnExec(a.begun.WhenOpen(next, func() {
			if a.first.Behind {
				desktop.WindowShow(a.ctx)
			}
		})))
	}}
	o.Bind = []any{a}
	o.OnBeforeClose = func(ctx context.Context) bool {
		window.AwaitMainLoop()
		return a.beforeClose(ctx) || !a.closing.End()
	}
	handedOver, stop := func() {}, func() bool { return true }
	up := make(chan struct{})
	o.OnStartup = func(ctx context.Context) {
		defer close(up)
		before := a.ctx
		a.ctx = ctx
		a.placeWindow()
		stop = context.AfterFunc(before, a.quit)
		if err := a.begun.Wait(); err != nil {
			cli.Complain(err)
			return
		}
		if a.first.Behind {
			a.showIcon() // before anyone can ask for the window
			if a.texts.Known() {
				a.sayIsBehind()
			}
		}
		handedOver = cli.TakeCommands(a.service, cli.Shows{Front: a.front}, a.log)
		if !a.first.Behind {
			a.picture.Watch(a.log)
		}
	}
	o.OnShutdown = func(ctx context.Context) {
		<-up
		stop()
		if a.begun.Wait() != nil {
			return
		}
		a.tray.Close()
		a.notices.Close()
		a.noticesOn.Do(func() { a.noNotices = context.Canceled })
		if a.noNotices == nil {
			desktop.CleanupNotifications(ctx)
		}
		a.pump.Close()
		handedOver()
		cli.CloseService(a.service.Close, a.log)
	}
	return o
}

func windowOptions() *options.App {
	return &options.App{
		Title: "Weft", MinWidth: window.MinWidth, MinHeight: window.MinHeight,
		EnableDefaultContextMenu: true,
		Logger:                   logger.NewDefaultLogger(),
		LogLevelProduction:       logger.ERROR,
		Menu:                     appMenu(),
		Linux:                    &linux.Options{Icon: icon, ProgramName: "weft", WebviewGpuPolicy: gpuPolicy()},
		Mac:                      &mac.Options{About: &mac.AboutInfo{Title: "Weft", Message: "Version " + version, Icon: icon}},
	}
}

func gpuPolicy() linux.WebviewGpuPolicy {
	if window.GPUHelps() {
		return linux.WebviewGpuPolicyOnDemand
	}
	return linux.WebviewGpuPolicyNever
}

// appMenu is nil but on macOS, where copy and paste come from the menu.
func appMenu() *menu.Menu {
	if runtime.GOOS == "darwin" {
		return menu.NewMenuFromItems(menu.AppMenu(), menu.EditMenu(), menu.WindowMenu())
	}
	return nil
}

// troubleWindow shows why Weft cannot start: who starts it from a menu sees no terminal.
func troubleWindow(ctx context.Context, c cli.Common, why error) int {
	cli.Complain(why)
	o := (&App{ctx: ctx, begun: cli.FailedStart(c, why)}).options()
	o.Width, o.Height = 640, 480
	o.OnStartup = func(shown context.Context) {
		context.AfterFunc(ctx, func() { desktop.Quit(shown) })
	}
	o.OnShutdown = nil // there is nothing to close
	if err := wails.Run(o); err != nil {
		fmt.Fprintf(cli.Stderr(), "weft: %v\n", err)
	}
	return 1
}
