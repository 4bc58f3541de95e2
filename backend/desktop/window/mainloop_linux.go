//go:build production

package window

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>

static GMutex lock;
static GCond changed;

static gboolean runs(gpointer done) {
	if (gtk_main_level() == 0)
		return G_SOURCE_CONTINUE;
	g_mutex_lock(&lock);
	*(gboolean *)done = TRUE;
	g_cond_broadcast(&changed);
	g_mutex_unlock(&lock);
	return G_SOURCE_REMOVE;
}

static void await_main_loop(void) {
	gboolean done = FALSE;
	g_idle_add(runs, &done);
	g_mutex_lock(&lock);
	while (!done)
		g_cond_wait(&changed, &lock);
	g_mutex_unlock(&lock);
}
*/
import "C"

// AwaitMainLoop blocks until the main loop of GTK runs: ending it before does nothing. It must not be called by the
// thread of GTK, and never returns once the loop has ended.
func AwaitMainLoop() { C.await_main_loop() }
