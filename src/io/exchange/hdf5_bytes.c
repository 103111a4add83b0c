/* A driver of our own for the library: reads the caller's bytes, uncopied and within their bounds. The
   drivers of the library offer read-ahead buffers (sieve, metadata accumulator), which damaged files make it
   read beyond. */
#include "io/exchange/hdf5_bytes.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

typedef struct image {
    H5FD_t head; /* the library's part, first */
    const unsigned char *bytes;
    size_t count;
    haddr_t end; /* of the addresses in use, as the library says */
} image;

typedef struct image_source {
    const void *bytes;
    size_t count;
} image_source;

static H5FD_t *image_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    (void)name;
    (void)max;
    const image_source *source = H5Pget_driver_info(access);
    image *opened = source && !(flags & H5F_ACC_RDWR) ? calloc(1, sizeof *opened) : NULL;
    if (!opened) return NULL;
    opened->bytes = source->bytes;
    opened->count = source->count;
    return &opened->head;
}

static herr_t image_close(H5FD_t *head)
{
    free(head);
    return 0;
}

static int image_compare(const H5FD_t *a, const H5FD_t *b)
{
    return (a > b) - (a < b);
}

static haddr_t image_get_end(const H5FD_t *head, H5FD_mem_t type)
{
    (void)type;
    return ((const image *)head)->end;
}

static herr_t image_set_end(H5FD_t *head, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((image *)head)->end = end;
    return 0;
}

static haddr_t image_get_size(const H5FD_t *head, H5FD_mem_t type)
{
    (void)type;
    return ((const image *)head)->count;
}

/* Fails outside of the bytes, instead of inventing zeros. */
static herr_t image_read(H5FD_t *head, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         void *out)
{
    (void)type;
    (void)transfer;
    const image *from = (const image *)head;
    if (address > from->count || size > from->count - address) return -1;
    memcpy(out, from->bytes + address, size);
    return 0;
}

/* The library asks for it, but never calls it for files that are opened to be read. */
static herr_t image_write(H5FD_t *head, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          const void *bytes)
{
    (void)head;
    (void)type;
    (void)transfer;
    (void)address;
    (void)size;
    (void)bytes;
    return -1;
}

static const H5FD_class_t image_driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = 511, /* of the range for tests and private drivers */
#endif
    .name = "tippe_image",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(image_source),
    .open = image_open,
    .close = image_close,
    .cmp = image_compare,
    .get_eoa = image_get_end,
    .set_eoa = image_set_end,
    .get_eof = image_get_size,
    .read = image_read,
    .write = image_write,
    .fl_map = H5FD_FLMAP_SINGLE,
};

int64_t tp_hdf5_open_bytes(const void *bytes, size_t count, int64_t *driver_out)
{
    image_source source = {bytes, count};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), id = H5I_INVALID_HID;
    if (access < 0) return id;
    *driver_out = H5FDregister(&image_driver);
    if (*driver_out >= 0 && H5Pset_driver(access, *driver_out, &source) >= 0) {
        id = H5Fopen("image", H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    return id;
}
