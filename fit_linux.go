//go:build production

package main

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>

static const int title_bar = 48; // of the desktop, with what is around it

static gboolean fit(gpointer unused) {
	GList *windows = gtk_window_list_toplevels();
	for (GList *l = windows; l != NULL; l = l->next) {
		GtkWindow *window = GTK_WINDOW(l->data);
		GdkWindow *drawn = gtk_widget_get_window(GTK_WIDGET(window));
		if (drawn == NULL || GTK_IS_DIALOG(window) || gtk_window_get_window_type(window) != GTK_WINDOW_TOPLEVEL)
			continue;
		GdkRectangle area;
		gdk_monitor_get_workarea(gdk_display_get_monitor_at_window(gdk_window_get_display(drawn), drawn), &area);
		int w, h;
		gtk_window_get_default_size(window, &w, &h);
		int most = area.height - title_bar;
		if (w <= area.width && h <= most)
			continue;
		w = MIN(w, area.width);
		h = MIN(h, most);
		gtk_window_resize(window, w, h);
		gtk_window_move(window, area.x + (area.width - w) / 2, area.y + (area.height - h) / 2);
	}
	g_list_free(windows);
	return G_SOURCE_REMOVE;
}

// Wails puts the window into the middle of the screen first, with the priority of what is done when there is nothing else.
static void ask_fit(void) { g_idle_add_full(G_PRIORITY_DEFAULT_IDLE + 10, fit, NULL, NULL); }
*/
import "C"

import "context"

// fitWindow makes the window no larger than its screen has room for, and puts it into the middle. It doesn't wait for that.
func fitWindow(context.Context) { C.ask_fit() }
