/*
 * MySQL links libaio, which many machines lack. The server runs with native AIO switched off and
 * calls these three only to learn that the kernel offers none.
 */
#include <errno.h>

int stub_io_setup(void) { return -ENOSYS; }
int stub_io_submit(void) { return -ENOSYS; }
int stub_io_getevents(void) { return -ENOSYS; }

__asm__(".symver stub_io_setup,io_setup@@LIBAIO_0.1");
__asm__(".symver stub_io_submit,io_submit@@LIBAIO_0.1");
__asm__(".symver stub_io_getevents,io_getevents@@LIBAIO_0.4");
