//go:build production

package window

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>
#include <stdlib.h>

static gboolean ending; // of the thread of GTK
static GMutex names_lock;
static char *yes_name, *no_name;

static void name_button(GtkDialog *dialog, gint response, const char *name) {
	GtkWidget *button = gtk_dialog_get_widget_for_response(dialog, response);
	if (name != NULL && GTK_IS_BUTTON(button))
		gtk_button_set_label(GTK_BUTTON(button), name);
}

static gboolean cancel(gpointer unused) {
	GList *windows = gtk_window_list_toplevels();
	for (GList *at = windows; at != NULL; at = at->next)
		if (GTK_IS_DIALOG(at->data) && gtk_widget_get_visible(at->data))
			gtk_dialog_response(GTK_DIALOG(at->data), GTK_RESPONSE_CANCEL);
	g_list_free(windows);
	return G_SOURCE_REMOVE;
}

// shown is called for each widget that is shown. Wails gives its dialogs buttons in English, and GTK in the language of
// the system.
static gboolean shown(GSignalInvocationHint *hint, guint n, const GValue *values, gpointer unused) {
	gpointer widget = g_value_get_object(values);
	gboolean file = GTK_IS_FILE_CHOOSER_DIALOG(widget);
	if (file || GTK_IS_MESSAGE_DIALOG(widget)) {
		g_mutex_lock(&names_lock);
		name_button(GTK_DIALOG(widget), file ? GTK_RESPONSE_ACCEPT : GTK_RESPONSE_YES, yes_name);
		name_button(GTK_DIALOG(widget), file ? GTK_RESPONSE_CANCEL : GTK_RESPONSE_NO, no_name);
		g_mutex_unlock(&names_lock);
	}
	if (ending && GTK_IS_DIALOG(widget))
		g_idle_add(cancel, NULL); // when its main loop runs
	return TRUE;
}

static gboolean follow(gpointer unused) {
	static gboolean followed;
	if (!followed)
		g_signal_add_emission_hook(g_signal_lookup("show", GTK_TYPE_WIDGET), 0, shown, NULL, NULL);
	followed = TRUE;
	return G_SOURCE_REMOVE;
}

static void name_buttons(char *yes, char *no) {
	g_mutex_lock(&names_lock);
	free(yes_name);
	free(no_name);
	yes_name = yes;
	no_name = no;
	g_mutex_unlock(&names_lock);
	g_idle_add_full(G_PRIORITY_HIGH, follow, NULL, NULL);
}

static gboolean end(gpointer unused) {
	ending = TRUE;
	follow(NULL);
	return cancel(NULL);
}

static void end_dialogs(void) { g_idle_add(end, NULL); }
*/
import "C"

// NameButtons sets the labels of the buttons of the dialogs that are opened from now on: the one that accepts or says
// yes, and the one that cancels or says no. It does not block.
func NameButtons(accept, cancel string) { C.name_buttons(C.CString(accept), C.CString(cancel)) }

// EndDialogs cancels the open dialogs, and those that are opened from now on. Each dialog runs a main loop of its own,
// in which the one of the window never ends. It does not block.
func EndDialogs() { C.end_dialogs() }
