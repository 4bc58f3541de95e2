// A library for LD_PRELOAD that notes whether WebKit's first object is made on the main thread of the process, in the file that THREADS names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void *webkit_user_content_manager_new(void) {
	const char *path = getenv("THREADS");
	FILE *file = path == NULL ? NULL : fopen(path, "a");
	if (file != NULL) {
		fputs(syscall(SYS_gettid) == getpid() ? "main\n" : "other\n", file);
		fclose(file);
	}
	void *(*made)(void) = dlsym(RTLD_NEXT, "webkit_user_content_manager_new");
	return made();
}
