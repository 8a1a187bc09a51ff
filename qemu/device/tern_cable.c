/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copyright (c) 2026 The Tern authors
 *
 * A cable between two ports on one host: a file that both ends map, with a
 * ring of frames each way. No main loop and no system call lies between two
 * cards that are both awake.
 *
 * "cable0=PATH:a" plugs into end a; the other port names the same path and
 * end b. Whoever comes first makes the file. The peer is another process:
 * what it writes is checked, and frames are copied before they are looked at.
 */
#include "qemu/osdep.h"

#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "qapi/error.h"

#include "tern.h"
#include "trace.h"

#define TERN_CABLE_MAGIC 0x6c626143 /* "Cabl" */
#define TERN_CABLE_VERSION 1
#define TERN_CABLE_FRAMES 128
#define TERN_CABLE_SLOT_BYTES ROUND_UP(TERN_FRAME_BYTES, 64)

enum {
    TERN_CABLE_UNPLUGGED,
    TERN_CABLE_LINK_DOWN,
    TERN_CABLE_LINK_UP,
};

/* One end, written by the card that is plugged into it. */
typedef struct TernCableEnd {
    /* The card sleeps on wake_count; the peer makes it grow and wakes it. */
    int wake_count;
    int is_sleeping;
    int state;
    uint8_t pad_0c[52];
    uint32_t prod; /* of the frames it sends */
    uint8_t pad_44[60];
    uint32_t cons; /* of the frames it receives */
    int is_starved; /* it waits for room */
    uint8_t pad_88[56];
    uint32_t length[TERN_CABLE_FRAMES];
    uint8_t slot[TERN_CABLE_FRAMES][TERN_CABLE_SLOT_BYTES];
} TernCableEnd;

typedef struct TernCableFile {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes;
    uint8_t pad_0c[52];
    TernCableEnd end[2];
} TernCableFile;

struct TernCable {
    int fd; /* holds the lock on our end */
    TernCableFile *file;
    TernCableEnd *local;
    TernCableEnd *peer;
    uint32_t prod; /* ours; the file's copies are for the peer */
    uint32_t cons;
    bool has_no_room; /* as the engine was told last */
    uint8_t (*copy)[TERN_CABLE_SLOT_BYTES];
};

static void tern_cable_wake_peer(TernCable *cable)
{
    smp_mb();
    if (qatomic_read(&cable->peer->is_sleeping)) {
        qatomic_inc(&cable->peer->wake_count);
        syscall(SYS_futex, &cable->peer->wake_count, FUTEX_WAKE, 1, NULL,
                NULL, 0);
    }
}

int *tern_cable_futex(TernCable *cable)
{
    return &cable->local->wake_count;
}

void tern_cable_set_sleeping(TernCable *cable, bool sleeping)
{
    qatomic_set(&cable->local->is_sleeping, sleeping);
}

/* Link */

void tern_cable_set_link(TernCable *cable, bool up)
{
    qatomic_set(&cable->local->state,
                up ? TERN_CABLE_LINK_UP : TERN_CABLE_LINK_DOWN);
    tern_cable_wake_peer(cable);
}

bool tern_cable_has_carrier(TernCable *cable)
{
    return qatomic_read(&cable->peer->state) == TERN_CABLE_LINK_UP;
}

/* Sending */

/* A count of the peer's that makes no sense means a full ring. */
static uint32_t tern_cable_free(const TernCable *cable)
{
    uint32_t used = cable->prod - qatomic_load_acquire(&cable->peer->cons);

    return used > TERN_CABLE_FRAMES ? 0 : TERN_CABLE_FRAMES - used;
}

uint32_t tern_cable_room(TernCable *cable)
{
    uint32_t room = tern_cable_free(cable);

    if (!room) {
        qatomic_set(&cable->local->is_starved, 1);
        smp_mb();
        room = tern_cable_free(cable);
    }
    cable->has_no_room = !room;
    return room;
}

/* The engine has asked for the room. */
void tern_cable_push(TernCable *cable, const struct tern_frame *frames,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = cable->prod % TERN_CABLE_FRAMES;

        if (frames[i].length_bytes > TERN_FRAME_BYTES ||
            !tern_cable_free(cable)) {
            trace_tern_err_frame(0, frames[i].length_bytes);
            continue;
        }
        memcpy(cable->local->slot[slot], frames[i].data,
               frames[i].length_bytes);
        cable->local->length[slot] = frames[i].length_bytes;
        cable->prod++;
    }
    qatomic_store_release(&cable->local->prod, cable->prod);
    tern_cable_wake_peer(cable);
    /* A batch that filled the ring makes the engine wait, unasked. */
    (void)tern_cable_room(cable);
}

/* Receiving */

static uint32_t tern_cable_pending(const TernCable *cable)
{
    uint32_t pending = qatomic_load_acquire(&cable->peer->prod) - cable->cons;

    return pending > TERN_CABLE_FRAMES ? 0 : pending;
}

/* Frames, or room where there was none: what may have come unannounced. */
bool tern_cable_has_news(TernCable *cable)
{
    if (cable->has_no_room && tern_cable_free(cable)) {
        cable->has_no_room = false;
        return true;
    }
    return tern_cable_pending(cable) != 0;
}

/* Copies of up to @count frames, good until the next call. */
uint32_t tern_cable_take(TernCable *cable, struct tern_frame *frames,
                         uint32_t count)
{
    uint32_t pending = MIN(tern_cable_pending(cable), count);
    uint32_t taken = 0;

    for (uint32_t i = 0; i < pending; i++) {
        uint32_t slot = (cable->cons + i) % TERN_CABLE_FRAMES;
        uint32_t length = qatomic_read(&cable->peer->length[slot]);

        if (length > TERN_FRAME_BYTES) {
            trace_tern_err_frame(0, length);
            continue;
        }
        memcpy(cable->copy[taken], cable->peer->slot[slot], length);
        frames[taken].data = cable->copy[taken];
        frames[taken].length_bytes = length;
        taken++;
    }
    if (pending) {
        cable->cons += pending;
        qatomic_store_release(&cable->local->cons, cable->cons);
        smp_mb();
        if (qatomic_read(&cable->peer->is_starved)) {
            qatomic_set(&cable->peer->is_starved, 0);
            tern_cable_wake_peer(cable);
        }
    }
    return taken;
}

/* Life */

static bool tern_cable_lay_out(int fd, Error **errp)
{
    const TernCableFile header = {
        .magic = TERN_CABLE_MAGIC,
        .version = TERN_CABLE_VERSION,
        .bytes = sizeof(header),
    };
    struct stat status;

    if (fstat(fd, &status) < 0) {
        error_setg_errno(errp, errno, "tern: cannot look at the cable");
        return false;
    }
    /* All of it now: a page that the file system lacks later is a SIGBUS. */
    if (status.st_size == 0) {
        int error = posix_fallocate(fd, 0, sizeof(header));

        if (error) {
            error_setg_errno(errp, error, "tern: cannot lay out the cable");
            return false;
        }
    }
    if (status.st_size == 0 &&
        pwrite(fd, &header, offsetof(TernCableFile, end), 0) < 0) {
        error_setg_errno(errp, errno, "tern: cannot write the cable");
        return false;
    }
    if (status.st_size && status.st_size != sizeof(header)) {
        error_setg(errp, "tern: the cable's file is none, or another "
                   "version's");
        return false;
    }
    return true;
}

static TernCableFile *tern_cable_map(int fd, const char *path, Error **errp)
{
    TernCableFile *file = NULL;

    if (flock(fd, LOCK_EX) < 0) {
        error_setg_errno(errp, errno, "tern: cannot lock the cable %s", path);
    } else if (tern_cable_lay_out(fd, errp)) {
        file = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED,
                    fd, 0);
        if (file == MAP_FAILED) {
            error_setg_errno(errp, errno, "tern: cannot map the cable %s",
                             path);
            file = NULL;
        }
    }
    flock(fd, LOCK_UN);
    if (file && (file->magic != TERN_CABLE_MAGIC ||
                 file->version != TERN_CABLE_VERSION ||
                 file->bytes != sizeof(*file))) {
        error_setg(errp, "tern: %s is no cable of this version", path);
        munmap(file, sizeof(*file));
        file = NULL;
    }
    return file;
}

/*
 * One card per end: a lock of the open file on a byte of its own, which goes
 * with the process however that ends.
 */
static bool tern_cable_claim(int fd, char end, const char *text, Error **errp)
{
    struct flock lock = {
        .l_type = F_WRLCK,
        .l_whence = SEEK_SET,
        .l_start = end - 'a',
        .l_len = 1,
    };

    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
        return true;
    }
    if (errno == EAGAIN || errno == EACCES) {
        error_setg(errp, "tern: another card is plugged into %s", text);
    } else {
        error_setg_errno(errp, errno, "tern: cannot claim %s", text);
    }
    return false;
}

/* @text: PATH:a or PATH:b */
TernCable *tern_cable_open(const char *text, Error **errp)
{
    const char *colon = strrchr(text, ':');
    g_autofree char *path = colon ? g_strndup(text, colon - text) : NULL;
    TernCableFile *file;
    TernCable *cable;
    int fd;

    if (!path || (strcmp(colon, ":a") && strcmp(colon, ":b"))) {
        error_setg(errp, "tern: a cable is PATH:a or PATH:b, not '%s'", text);
        return NULL;
    }
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        error_setg_errno(errp, errno, "tern: cannot open the cable %s", path);
        return NULL;
    }
    file = tern_cable_map(fd, path, errp);
    if (!file || !tern_cable_claim(fd, colon[1], text, errp)) {
        if (file) {
            munmap(file, sizeof(*file));
        }
        close(fd);
        return NULL;
    }
    cable = g_new0(TernCable, 1);
    cable->fd = fd;
    cable->file = file;
    cable->local = &file->end[colon[1] == 'b'];
    cable->peer = &file->end[colon[1] == 'a'];
    cable->copy = g_malloc(TERN_CABLE_FRAMES * TERN_CABLE_SLOT_BYTES);
    /* We may come back to a cable whose peer has stayed. */
    cable->prod = qatomic_read(&cable->local->prod);
    cable->cons = qatomic_read(&cable->peer->prod);
    qatomic_store_release(&cable->local->cons, cable->cons);
    tern_cable_set_link(cable, true);
    return cable;
}

void tern_cable_close(TernCable *cable)
{
    if (!cable) {
        return;
    }
    qatomic_set(&cable->local->state, TERN_CABLE_UNPLUGGED);
    qatomic_set(&cable->local->is_sleeping, 0);
    tern_cable_wake_peer(cable);
    munmap(cable->file, sizeof(*cable->file));
    close(cable->fd);
    g_free(cable->copy);
    g_free(cable);
}
