//go:build production

package window

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>

static const int title_bar = 48; // of the desktop, with what is around it

typedef struct {
	gboolean middle, maximized; // middle: of its screen, whatever x and y are
	int x, y, w, h;
} Place;

static gboolean put(gpointer wanted) {
	Place *p = wanted;
	GList *windows = gtk_window_list_toplevels();
	for (GList *l = windows; l != NULL; l = l->next) {
		GtkWindow *window = GTK_WINDOW(l->data);
		GdkWindow *drawn = gtk_widget_get_window(GTK_WIDGET(window));
		if (drawn == NULL || GTK_IS_DIALOG(window) || gtk_window_get_window_type(window) != GTK_WINDOW_TOPLEVEL)
			continue;
		GdkDisplay *display = gdk_window_get_display(drawn);
		GdkRectangle area;
		gdk_monitor_get_workarea(p->middle ? gdk_display_get_monitor_at_window(display, drawn)
		                                   : gdk_display_get_monitor_at_point(display, p->x + p->w / 2, p->y + title_bar / 2), &area);
		int w = MIN(p->w, area.width), h = MIN(p->h, area.height - title_bar);
		int x = area.x + (area.width - w) / 2, y = area.y + (area.height - h) / 2;
		if (!p->middle) {
			x = CLAMP(p->x, area.x, area.x + area.width - w);
			y = CLAMP(p->y, area.y, area.y + area.height - h);
		}
		if (w < p->w || h < p->h)
			gtk_window_resize(window, w, h);
		if (!p->middle || w < p->w || h < p->h)
			gtk_window_move(window, x, y);
		if (p->maximized)
			gtk_window_maximize(window);
	}
	g_list_free(windows);
	g_free(p);
	return G_SOURCE_REMOVE;
}

// Wails puts the window into the middle of the screen first, with the priority of what is done when there is nothing
// else.
static void ask_put(gboolean middle, gboolean maximized, int x, int y, int w, int h) {
	Place *p = g_new(Place, 1);
	*p = (Place){middle, maximized, x, y, w, h};
	g_idle_add_full(G_PRIORITY_DEFAULT_IDLE + 10, put, p, NULL);
}
*/
import "C"

// putWindow moves the window to p, but makes it no larger than its screen has room for. It doesn't wait for that. On
// Wayland, programs can't move their windows.
func putWindow(p place) bool {
	C.ask_put(boolean(p.Middle), boolean(p.Maximized), C.int(p.X), C.int(p.Y), C.int(p.Width), C.int(p.Height))
	return true
}

func boolean(on bool) C.gboolean {
	if on {
		return 1
	}
	return 0
}
