// A driver that hands no pictures over, for tests: loaded into Weft (LD_PRELOAD), it keeps WebKit from painting in the window unless it does without
// DMABUF, or HELPS=no is set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int kept(void *caller) {
	Dl_info info;
	const char *without = getenv("WEBKIT_DISABLE_DMABUF_RENDERER"), *helps = getenv("HELPS");
	if (without != NULL && strcmp(without, "1") == 0 && (helps == NULL || strcmp(helps, "no") != 0))
		return 0;
	return dladdr(caller, &info) != 0 && info.dli_fname != NULL && strstr(info.dli_fname, "libwebkit2gtk") != NULL;
}

#define KEEP(name)                                            \
	void name(void *cr) {                                     \
		static void (*real)(void *);                          \
		if (kept(__builtin_return_address(0)))                \
			return;                                           \
		if (real == NULL)                                     \
			real = (void (*)(void *))dlsym(RTLD_NEXT, #name); \
		real(cr);                                             \
	}

KEEP(cairo_paint)
KEEP(cairo_fill)
KEEP(cairo_fill_preserve)
