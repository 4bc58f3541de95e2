//go:build production

package window

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>
#include <stdlib.h>

// Of the library that Wails links.
extern guint webkit_get_major_version(void);
extern guint webkit_get_minor_version(void);
extern guint webkit_get_micro_version(void);

static void find_view(GtkWidget *widget, gpointer found) {
	if (g_strcmp0(G_OBJECT_TYPE_NAME(widget), "WebKitWebView") == 0)
		*(GtkWidget **)found = widget;
	else if (GTK_IS_CONTAINER(widget))
		gtk_container_forall(GTK_CONTAINER(widget), find_view, found);
}

// drawn reports whether the view has more than one color: 1 if so, 0 if not, -1 where that can't be told.
static gint drawn(GtkWidget *view) {
	int w = gtk_widget_get_allocated_width(view), h = gtk_widget_get_allocated_height(view);
	GdkWindow *window = gtk_widget_get_window(gtk_widget_get_toplevel(view));
	if (!gtk_widget_get_mapped(view) || window == NULL || w < 16 || h < 16 ||
	    gdk_window_get_state(window) & (GDK_WINDOW_STATE_WITHDRAWN | GDK_WINDOW_STATE_ICONIFIED))
		return -1;
	cairo_surface_t *picture = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
	cairo_t *cr = cairo_create(picture);
	gtk_widget_draw(view, cr);
	cairo_destroy(cr);
	cairo_surface_flush(picture);
	gint result = -1;
	const unsigned char *rows = cairo_image_surface_get_data(picture);
	if (rows != NULL) {
		int stride = cairo_image_surface_get_stride(picture);
		guint32 first = *(const guint32 *)rows & 0xffffff;
		result = 0;
		for (int y = 0; y < h && !result; y++)
			for (int x = 0; x < w && !result; x++)
				result = (((const guint32 *)(rows + (size_t)y * stride))[x] & 0xffffff) != first;
	}
	cairo_surface_destroy(picture);
	return result;
}

static gint last = -1;

static gboolean look(gpointer unused) {
	GtkWidget *view = NULL;
	GList *windows = gtk_window_list_toplevels();
	for (GList *l = windows; l != NULL && view == NULL; l = l->next)
		find_view(GTK_WIDGET(l->data), &view);
	g_list_free(windows);
	g_atomic_int_set(&last, view == NULL ? -1 : drawn(view));
	return G_SOURCE_REMOVE;
}

static void ask_look(void) { g_idle_add(look, NULL); }

static gint last_look(void) {
	gint found = g_atomic_int_get(&last);
	g_atomic_int_set(&last, -1);
	return found;
}

// Go's own environment, which agents get, stays without these.
static void without_dmabuf(void) { setenv("WEBKIT_DISABLE_DMABUF_RENDERER", "1", 1); }
static void without_explicit_sync(void) { setenv("__NV_DISABLE_EXPLICIT_SYNC", "1", 1); }
*/
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
)

// prepareRenderer configures how WebKitGTK draws. It must be called before the window is created, and returns nil if
// the first picture need not be awaited.
func prepareRenderer(dataDir string, hidden bool) *renderer {
	if explicitSyncBreaks("/") {
		C.without_explicit_sync()
	}
	if _, ok := os.LookupEnv("WEBKIT_DISABLE_DMABUF_RENDERER"); ok {
		return nil // the user has decided
	}
	webkit := fmt.Sprintf("%d.%d.%d", C.webkit_get_major_version(), C.webkit_get_minor_version(), C.webkit_get_micro_version())
	r := readRenderer(filepath.Join(dataDir, "renderer.json"), machineID(webkit))
	if !hidden {
		_ = r.Begin() // a folder that can't be written is reported where it matters
	}
	if r.WithoutDMABUF() {
		C.without_dmabuf()
	}
	return r
}

// lookAtWindow returns a function that looks at the window. The main loop draws the window into a picture later, so
// each look returns what the previous one requested. pageWaits reports whether the page waits for a command.
func lookAtWindow(pageWaits func() bool) func() look {
	var web webProcesses
	return func() look {
		found, idle := C.last_look(), web.Idle()
		C.ask_look()
		return look{Drawn: found == 1, Idle: found == 0 && idle && !pageWaits()}
	}
}
