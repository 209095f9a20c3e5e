/*
 * The floor that a managed runtime is measured against: one thread, one ring, one fixed HTTP reply.
 *
 *   raw_liburing PORT
 *
 * A connection's receive stays armed (multishot) and takes buffers from one shared ring. A request is whatever ends in
 * an empty line; the replies of one receive leave in one send, and a connection has at most one send in flight, so
 * replies keep their order. A connection is closed once its receive has ended and no send is in flight: until then the
 * kernel may still name its descriptor in a completion, and the number must not be given to a new connection.
 *
 * Needs Linux 6.1 and liburing 2.3. Build: cc -O2 -o raw_liburing raw_liburing.c -luring
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <liburing.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SQ_ENTRIES = 4096,
    CQ_ENTRIES = 16384,
    BUFFER_COUNT = 2048,
    BUFFER_LENGTH = 4096,
    BUFFER_GROUP = 0,
    BACKLOG = 4096,
    MAX_DESCRIPTORS = 65536,
    MAX_REPLIES_A_SEND = 512,
};

static const char reply[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!";
enum { REPLY_LENGTH = sizeof(reply) - 1 };

enum operation { ACCEPT, RECEIVE, SEND };

struct connection {
    uint64_t owed;      /* Reply bytes that requests have earned and the kernel has not taken. */
    unsigned offset;    /* Where in a reply the next send starts: a send may be cut short. */
    unsigned char seen; /* How many bytes of the empty line the last receive ended with, 0 to 3. */
    bool sending;
    bool ended;         /* The receive gave its last completion. */
};

static struct io_uring ring;
static struct io_uring_buf_ring *buffer_ring;
static unsigned char *buffers;
static struct connection connections[MAX_DESCRIPTORS];
/* One reply more than a send takes, so that a send can start inside a reply. */
static char replies[(MAX_REPLIES_A_SEND + 1) * REPLY_LENGTH];

static void die(const char *what, int error)
{
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    exit(1);
}

static struct io_uring_sqe *next_entry(void)
{
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    if (!entry) {
        io_uring_submit(&ring);
        entry = io_uring_get_sqe(&ring);
        if (!entry)
            die("submission queue", EBUSY);
    }
    return entry;
}

static void tag(struct io_uring_sqe *entry, enum operation operation, int fd)
{
    io_uring_sqe_set_data64(entry, (uint64_t)operation << 32 | (uint32_t)fd);
}

static void arm_accept(int listener)
{
    struct io_uring_sqe *entry = next_entry();
    io_uring_prep_multishot_accept(entry, listener, NULL, NULL, SOCK_CLOEXEC);
    tag(entry, ACCEPT, listener);
}

static void arm_receive(int fd)
{
    struct io_uring_sqe *entry = next_entry();
    io_uring_prep_recv_multishot(entry, fd, NULL, 0, 0);
    entry->flags |= IOSQE_BUFFER_SELECT;
    entry->buf_group = BUFFER_GROUP;
    tag(entry, RECEIVE, fd);
}

static void send_owed(int fd)
{
    struct connection *connection = &connections[fd];
    if (connection->sending || connection->owed == 0)
        return;
    uint64_t length = connection->owed;
    if (length > (uint64_t)MAX_REPLIES_A_SEND * REPLY_LENGTH)
        length = (uint64_t)MAX_REPLIES_A_SEND * REPLY_LENGTH;
    struct io_uring_sqe *entry = next_entry();
    io_uring_prep_send(entry, fd, replies + connection->offset, length, MSG_NOSIGNAL);
    tag(entry, SEND, fd);
    connection->sending = true;
}

static void close_if_done(int fd)
{
    struct connection *connection = &connections[fd];
    if (!connection->ended || connection->sending)
        return;
    memset(connection, 0, sizeof(*connection));
    close(fd);
}

/* Counts the empty lines that end in these bytes; one may have begun in earlier ones. */
static unsigned count_requests(struct connection *connection, const unsigned char *data, size_t length)
{
    static const unsigned char expected[] = { '\r', '\n', '\r', '\n' };
    const unsigned char *end = data + length;
    unsigned seen = connection->seen;
    unsigned requests = 0;
    while (data < end) {
        if (seen == 0) {
            data = memchr(data, '\r', (size_t)(end - data));
            if (!data)
                break;
        }
        if (*data == expected[seen])
            seen++;
        else
            seen = *data == '\r';
        data++;
        if (seen == sizeof(expected)) {
            requests++;
            seen = 0;
        }
    }
    connection->seen = (unsigned char)seen;
    return requests;
}

static void on_accept(int listener, const struct io_uring_cqe *cqe)
{
    if (!(cqe->flags & IORING_CQE_F_MORE))
        arm_accept(listener);
    if (cqe->res < 0)
        return;
    if (cqe->res >= MAX_DESCRIPTORS) {
        close(cqe->res);
        return;
    }
    arm_receive(cqe->res);
}

/* Returns how many buffers came back. */
static int on_receive(int fd, const struct io_uring_cqe *cqe, int returned)
{
    struct connection *connection = &connections[fd];
    int count = 0;
    if (cqe->res > 0) {
        unsigned short id = (unsigned short)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
        unsigned char *data = buffers + (size_t)id * BUFFER_LENGTH;
        connection->owed += (uint64_t)count_requests(connection, data, (size_t)cqe->res) * REPLY_LENGTH;
        io_uring_buf_ring_add(buffer_ring, data, BUFFER_LENGTH, id, io_uring_buf_ring_mask(BUFFER_COUNT), returned);
        count = 1;
        send_owed(fd);
    }
    if (!(cqe->flags & IORING_CQE_F_MORE)) {
        if (cqe->res > 0 || cqe->res == -ENOBUFS) {
            arm_receive(fd);
        } else {
            connection->ended = true;
            close_if_done(fd);
        }
    }
    return count;
}

static void on_send(int fd, const struct io_uring_cqe *cqe)
{
    struct connection *connection = &connections[fd];
    connection->sending = false;
    if (cqe->res < 0) {
        /* The peer is gone; the receive ends by itself. */
        connection->owed = 0;
    } else {
        connection->owed -= (uint64_t)cqe->res;
        connection->offset = (connection->offset + (unsigned)cqe->res) % REPLY_LENGTH;
        send_owed(fd);
    }
    close_if_done(fd);
}

static int listen_on(unsigned short port)
{
    int one = 1;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        die("socket", errno);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    /* Accepted sockets inherit it. */
    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0)
        die("bind", errno);
    if (listen(listener, BACKLOG) < 0)
        die("listen", errno);
    return listener;
}

static void make_ring(void)
{
    struct io_uring_params params = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
        .cq_entries = CQ_ENTRIES,
    };
    int result = io_uring_queue_init_params(SQ_ENTRIES, &ring, &params);
    if (result < 0)
        die("io_uring_queue_init_params", -result);

    size_t ring_length = BUFFER_COUNT * sizeof(struct io_uring_buf);
    if (posix_memalign((void **)&buffer_ring, 4096, ring_length) ||
        posix_memalign((void **)&buffers, 4096, (size_t)BUFFER_COUNT * BUFFER_LENGTH))
        die("posix_memalign", ENOMEM);
    struct io_uring_buf_reg registration = {
        .ring_addr = (uintptr_t)buffer_ring, .ring_entries = BUFFER_COUNT, .bgid = BUFFER_GROUP,
    };
    result = io_uring_register_buf_ring(&ring, &registration, 0);
    if (result < 0)
        die("io_uring_register_buf_ring", -result);
    io_uring_buf_ring_init(buffer_ring);
    for (int id = 0; id < BUFFER_COUNT; id++)
        io_uring_buf_ring_add(buffer_ring, buffers + (size_t)id * BUFFER_LENGTH, BUFFER_LENGTH,
                              (unsigned short)id, io_uring_buf_ring_mask(BUFFER_COUNT), id);
    io_uring_buf_ring_advance(buffer_ring, BUFFER_COUNT);
}

int main(int argc, char **argv)
{
    int port = argc == 2 ? atoi(argv[1]) : 0;
    if (port <= 0 || port > 65535) {
        fprintf(stderr, "usage: %s PORT\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i <= MAX_REPLIES_A_SEND; i++)
        memcpy(replies + i * REPLY_LENGTH, reply, REPLY_LENGTH);
    int listener = listen_on((unsigned short)port);
    make_ring();
    arm_accept(listener);
    printf("ready transport=liburing port=%d pid=%d\n", port, (int)getpid());
    fflush(stdout);

    while (true) {
        int result = io_uring_submit_and_wait(&ring, 1);
        if (result < 0 && result != -EINTR && result != -EBUSY && result != -EAGAIN)
            die("io_uring_submit_and_wait", -result);
        struct io_uring_cqe *cqe;
        unsigned head;
        int reaped = 0;
        int returned = 0;
        io_uring_for_each_cqe(&ring, head, cqe) {
            int fd = (int)(uint32_t)cqe->user_data;
            switch ((enum operation)(cqe->user_data >> 32)) {
            case ACCEPT: on_accept(fd, cqe); break;
            case RECEIVE: returned += on_receive(fd, cqe, returned); break;
            case SEND: on_send(fd, cqe); break;
            }
            reaped++;
        }
        /* Frees the entries and publishes the buffers, once a batch. */
        io_uring_cq_advance(&ring, (unsigned)reaped);
        io_uring_buf_ring_advance(buffer_ring, returned);
    }
}
