/* POSIX files for the HDF5 library. Its own driver reports a failing write, whereupon the library can neither
   close the file nor end the program without crashing. This one keeps the reason for us and drops what comes
   later, as if the process had been killed at that moment, which SWMR files survive. The
   file has a temporary name until it is ready, so it needs no lock.

   The driver also decides where things lie. The kernel copies a write page by page and may stop between two
   pages when the process is killed: a piece of metadata that spans two would be half old and half new. So
   pieces up to a page do not span two. (Larger ones come with the index of chunks after two million rows.) */
#define _XOPEN_SOURCE 700
#include "io/hdf5/hdf5_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, UNIT_BYTES = 8 };

typedef struct driver_file {
    H5FD_t base; /* the library's part; must be first */
    int file;
    int *error;
    haddr_t end_of_space, end_of_file;
} driver_file;

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access_list, haddr_t address_max)
{
    int *const *error = H5Pget_driver_info(access_list);
    driver_file *self = error ? calloc(1, sizeof *self) : NULL;
    int mode = O_CLOEXEC | (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) |
               (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
               (flags & H5F_ACC_EXCL ? O_EXCL : 0);
    struct stat info;
    (void)address_max;
    if (!self) return NULL;
    self->error = *error;
    self->file = open(name, mode, 0666);
    if (self->file >= 0 && fstat(self->file, &info) == 0) {
        self->end_of_file = (haddr_t)info.st_size;
        return &self->base;
    }
    *self->error = errno;
    if (self->file >= 0) close(self->file);
    free(self);
    return NULL;
}

static void keep_error(driver_file *self)
{
    if (*self->error == 0) *self->error = errno;
}

static herr_t close_file(H5FD_t *base)
{
    driver_file *self = (driver_file *)base;
    if (close(self->file) != 0) keep_error(self);
    free(self);
    return 0;
}

/* Those of the library's own driver but for collecting pieces, each of which is placed and written alone, and
   for handles, which nobody asks for. */
static herr_t query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t round_up(haddr_t address, haddr_t unit)
{
    return (address + unit - 1) / unit * unit;
}

/* A place for a new piece. The space after metadata begins one unit later, because the library makes a piece
   longer in place, over the end of its page, when there is nothing but space after it. */
static haddr_t place_piece(H5FD_t *base, H5FD_mem_t type, hid_t transfer, hsize_t size)
{
    driver_file *self = (driver_file *)base;
    haddr_t address = round_up(self->end_of_space, UNIT_BYTES);
    bool is_data = type == H5FD_MEM_DRAW;
    (void)transfer;
    if (!is_data && address % PAGE_BYTES + size > PAGE_BYTES) address = round_up(address, PAGE_BYTES);
    self->end_of_space = address + size + (is_data ? 0 : UNIT_BYTES);
    return address;
}

static haddr_t get_end_of_space(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->end_of_space;
}

static herr_t set_end_of_space(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((driver_file *)base)->end_of_space = address;
    return 0;
}

static haddr_t get_end_of_file(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->end_of_file;
}

/* Bytes after the end are zero. */
static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         void *out)
{
    driver_file *self = (driver_file *)base;
    unsigned char *to = out;
    (void)type;
    (void)transfer;
    while (size > 0) {
        ssize_t got = pread(self->file, to, size, (off_t)address);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            keep_error(self);
            return -1;
        }
        if (got == 0) break;
        to += got;
        size -= (size_t)got;
        address += (haddr_t)got;
    }
    memset(to, 0, size);
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          const void *bytes)
{
    driver_file *self = (driver_file *)base;
    const unsigned char *from = bytes;
    haddr_t end = address + size;
    (void)type;
    (void)transfer;
    while (size > 0 && *self->error == 0) {
        ssize_t put = pwrite(self->file, from, size, (off_t)address);
        if (put < 0 && errno == EINTR) continue;
        if (put == 0) errno = ENOSPC;
        if (put <= 0) {
            keep_error(self);
        } else {
            from += put;
            size -= (size_t)put;
            address += (haddr_t)put;
        }
    }
    if (end > self->end_of_file) self->end_of_file = end;
    return 0;
}

static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t is_closing)
{
    driver_file *self = (driver_file *)base;
    (void)transfer;
    (void)is_closing;
    if (self->end_of_file == self->end_of_space) return 0;
    if (*self->error == 0 && ftruncate(self->file, (off_t)self->end_of_space) != 0) keep_error(self);
    self->end_of_file = self->end_of_space;
    return 0;
}

/* Without these the library would not mark the file as being written, and readers would refuse it. */
static herr_t lock_file(H5FD_t *base, hbool_t is_for_writing)
{
    (void)base;
    (void)is_for_writing;
    return 0;
}

static herr_t unlock_file(H5FD_t *base)
{
    (void)base;
    return 0;
}

bool tp_hdf5_driver_set(int64_t access_list, int *error)
{
    const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION /* since 1.14, which refuses drivers without it */
        .version = H5FD_CLASS_VERSION,
        .value = 512, /* numbers of 256 and above are free */
#endif
        .name = "tippe",
        .maxaddr = ((haddr_t)1 << 62) - 1,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof error,
        .open = open_file,
        .close = close_file,
        .query = query,
        .alloc = place_piece,
        .get_eoa = get_end_of_space,
        .set_eoa = set_end_of_space,
        .get_eof = get_end_of_file,
        .read = read_bytes,
        .write = write_bytes,
        .truncate = truncate_file,
        .lock = lock_file,
        .unlock = unlock_file,
        .fl_map = H5FD_FLMAP_DICHOTOMY};
    hid_t id = H5FDregister(&driver);
    if (id < 0) return false;
    bool is_set = H5Pset_driver(access_list, id, &error) >= 0;
    H5FDunregister(id); /* the list and the file keep it as long as they need it */
    return is_set;
}
