#!/usr/bin/env bash
# Prints what the kernel's and libc's headers on this machine say of every struct and value that Ioxide uses: one
# "name value" a line, the headers' version first. A line that starts with # names a value that these headers lack.
#
#   eng/abi.sh > tests/Runtime/Abi/abi.txt    writes the table that the tests compare with
#   eng/abi.sh --check                             fails if the committed table disagrees with these headers
#   CC=aarch64-linux-gnu-gcc RUN="qemu-aarch64-static -L /usr/aarch64-linux-gnu" eng/abi.sh --check
#                                                  the same for arm64 (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user-static)
#
# Needs gcc, libc6-dev and linux-libc-dev. The table is for 64-bit Linux; the kernel never changes a line of it, newer
# headers only add some.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

table=tests/Runtime/Abi/abi.txt
others=()
cc=${CC:-gcc}
read -r -a run <<< "${RUN:-}"
if ! command -v "$cc" > /dev/null; then
    echo "eng/abi.sh: no C compiler; install gcc, libc6-dev and linux-libc-dev" >&2
    exit 2
fi

machine=$("$cc" -dumpmachine)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One struct a line: its name, then its fields. "new|old" is a field that newer headers renamed or added at the
# place of an old one; it is printed by its newer name. A field that ends in [] has no size of its own.
structs=(
    "io_uring_sqe opcode flags ioprio fd off addr2 cmd_op addr splice_off_in len rw_flags fsync_flags poll_events
        poll32_events sync_range_flags msg_flags timeout_flags accept_flags cancel_flags open_flags statx_flags
        fadvise_advice splice_flags rename_flags unlink_flags hardlink_flags xattr_flags msg_ring_flags
        uring_cmd_flags user_data buf_index buf_group personality splice_fd_in file_index optlen|file_index addr_len
        addr3 cmd[]"
    "io_uring_cqe user_data res flags big_cqe[]"
    "io_sqring_offsets head tail ring_mask ring_entries flags dropped array resv1 user_addr|resv2"
    "io_cqring_offsets head tail ring_mask ring_entries overflow cqes flags resv1 user_addr|resv2"
    "io_uring_params sq_entries cq_entries flags sq_thread_cpu sq_thread_idle features wq_fd resv sq_off cq_off"
    "io_uring_buf addr len bid resv"
    "io_uring_buf_ring resv1 resv2 resv3 tail bufs[]"
    "io_uring_buf_reg ring_addr ring_entries bgid flags|pad"
    "io_uring_getevents_arg sigmask sigmask_sz min_wait_usec|pad ts"
    "io_uring_restriction opcode register_op sqe_op sqe_flags resv resv2"
    "io_uring_probe last_op ops_len resv resv2 ops[]"
    "io_uring_probe_op op resv flags resv2"
    "io_uring_rsrc_register nr flags resv2 data tags"
    "io_uring_rsrc_update offset resv data"
    "io_uring_rsrc_update2 offset resv data tags nr resv2"
    "io_uring_files_update offset resv fds"
    "io_uring_sync_cancel_reg addr fd flags timeout"
    "io_uring_file_index_range off len resv"
    "io_uring_recvmsg_out namelen controllen payloadlen flags"
    "__kernel_timespec tv_sec tv_nsec"
    "msghdr msg_name msg_namelen msg_iov msg_iovlen msg_control msg_controllen msg_flags"
    "cmsghdr cmsg_len cmsg_level cmsg_type"
    "iovec iov_base iov_len"
    "linger l_onoff l_linger"
    "sockaddr_in sin_family sin_port sin_addr sin_zero"
    "sockaddr_in6 sin6_family sin6_port sin6_flowinfo sin6_addr sin6_scope_id"
    "sockaddr_un sun_family sun_path"
    "sockaddr_storage ss_family"
    "rlimit rlim_cur rlim_max"
    "open_how flags mode resolve"
    "statx stx_mask stx_mode stx_ino stx_size stx_ctime stx_mtime stx_dev_major stx_dev_minor"
    "statx_timestamp tv_sec tv_nsec"
)

# System calls. x86-64 has numbers of its own, printed as __NR_NAME; every later 64-bit architecture has those of
# asm-generic, printed as generic(__NR_NAME).
calls=(
    io_uring_setup io_uring_enter io_uring_register mmap munmap mprotect madvise close write ioctl fcntl eventfd2
    socket bind listen accept4 shutdown setsockopt getsockopt getsockname getpeername sendto sendmsg recvfrom connect
    epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 ppoll read pread64 preadv2 pipe2 vmsplice splice
    openat openat2 readlinkat getdents64 statx fstat fstatfs inotify_init1 inotify_add_watch inotify_rm_watch
    sched_setaffinity sched_getaffinity prlimit64 uname geteuid
)

# In Linux 6.1's headers, and so in every later one.
values=(
    IORING_SETUP_IOPOLL IORING_SETUP_SQPOLL IORING_SETUP_SQ_AFF IORING_SETUP_CQSIZE IORING_SETUP_CLAMP
    IORING_SETUP_ATTACH_WQ IORING_SETUP_R_DISABLED IORING_SETUP_SUBMIT_ALL IORING_SETUP_COOP_TASKRUN
    IORING_SETUP_TASKRUN_FLAG IORING_SETUP_SQE128 IORING_SETUP_CQE32 IORING_SETUP_SINGLE_ISSUER
    IORING_SETUP_DEFER_TASKRUN

    IORING_FEAT_SINGLE_MMAP IORING_FEAT_NODROP IORING_FEAT_SUBMIT_STABLE IORING_FEAT_RW_CUR_POS
    IORING_FEAT_CUR_PERSONALITY IORING_FEAT_FAST_POLL IORING_FEAT_POLL_32BITS IORING_FEAT_SQPOLL_NONFIXED
    IORING_FEAT_EXT_ARG IORING_FEAT_NATIVE_WORKERS IORING_FEAT_RSRC_TAGS IORING_FEAT_CQE_SKIP IORING_FEAT_LINKED_FILE

    IORING_OFF_SQ_RING IORING_OFF_CQ_RING IORING_OFF_SQES
    IORING_SQ_NEED_WAKEUP IORING_SQ_CQ_OVERFLOW IORING_SQ_TASKRUN IORING_CQ_EVENTFD_DISABLED

    IORING_ENTER_GETEVENTS IORING_ENTER_SQ_WAKEUP IORING_ENTER_SQ_WAIT IORING_ENTER_EXT_ARG
    IORING_ENTER_REGISTERED_RING

    IOSQE_FIXED_FILE IOSQE_IO_DRAIN IOSQE_IO_LINK IOSQE_IO_HARDLINK IOSQE_ASYNC IOSQE_BUFFER_SELECT
    IOSQE_CQE_SKIP_SUCCESS

    IORING_CQE_F_BUFFER IORING_CQE_F_MORE IORING_CQE_F_SOCK_NONEMPTY IORING_CQE_F_NOTIF IORING_CQE_BUFFER_SHIFT

    IORING_OP_NOP IORING_OP_READV IORING_OP_WRITEV IORING_OP_FSYNC IORING_OP_READ_FIXED IORING_OP_WRITE_FIXED
    IORING_OP_POLL_ADD IORING_OP_POLL_REMOVE IORING_OP_SYNC_FILE_RANGE IORING_OP_SENDMSG IORING_OP_RECVMSG
    IORING_OP_TIMEOUT IORING_OP_TIMEOUT_REMOVE IORING_OP_ACCEPT IORING_OP_ASYNC_CANCEL IORING_OP_LINK_TIMEOUT
    IORING_OP_CONNECT IORING_OP_FALLOCATE IORING_OP_OPENAT IORING_OP_CLOSE IORING_OP_FILES_UPDATE IORING_OP_STATX
    IORING_OP_READ IORING_OP_WRITE IORING_OP_FADVISE IORING_OP_MADVISE IORING_OP_SEND IORING_OP_RECV
    IORING_OP_OPENAT2 IORING_OP_EPOLL_CTL IORING_OP_SPLICE IORING_OP_PROVIDE_BUFFERS IORING_OP_REMOVE_BUFFERS
    IORING_OP_TEE IORING_OP_SHUTDOWN IORING_OP_RENAMEAT IORING_OP_UNLINKAT IORING_OP_MKDIRAT IORING_OP_SYMLINKAT
    IORING_OP_LINKAT IORING_OP_MSG_RING IORING_OP_FSETXATTR IORING_OP_SETXATTR IORING_OP_FGETXATTR
    IORING_OP_GETXATTR IORING_OP_SOCKET IORING_OP_URING_CMD IORING_OP_SEND_ZC IORING_OP_SENDMSG_ZC

    IORING_REGISTER_BUFFERS IORING_UNREGISTER_BUFFERS IORING_REGISTER_FILES IORING_UNREGISTER_FILES
    IORING_REGISTER_EVENTFD IORING_UNREGISTER_EVENTFD IORING_REGISTER_FILES_UPDATE IORING_REGISTER_EVENTFD_ASYNC
    IORING_REGISTER_PROBE IORING_REGISTER_PERSONALITY IORING_UNREGISTER_PERSONALITY IORING_REGISTER_RESTRICTIONS
    IORING_REGISTER_ENABLE_RINGS IORING_REGISTER_FILES2 IORING_REGISTER_FILES_UPDATE2 IORING_REGISTER_BUFFERS2
    IORING_REGISTER_BUFFERS_UPDATE IORING_REGISTER_IOWQ_AFF IORING_UNREGISTER_IOWQ_AFF
    IORING_REGISTER_IOWQ_MAX_WORKERS IORING_REGISTER_RING_FDS IORING_UNREGISTER_RING_FDS IORING_REGISTER_PBUF_RING
    IORING_UNREGISTER_PBUF_RING IORING_REGISTER_SYNC_CANCEL IORING_REGISTER_FILE_ALLOC_RANGE
    IORING_REGISTER_FILES_SKIP IORING_RSRC_REGISTER_SPARSE IORING_FILE_INDEX_ALLOC IO_URING_OP_SUPPORTED

    IORING_RESTRICTION_REGISTER_OP IORING_RESTRICTION_SQE_OP IORING_RESTRICTION_SQE_FLAGS_ALLOWED
    IORING_RESTRICTION_SQE_FLAGS_REQUIRED

    IORING_RECVSEND_POLL_FIRST IORING_RECV_MULTISHOT IORING_RECVSEND_FIXED_BUF IORING_SEND_ZC_REPORT_USAGE
    IORING_NOTIF_USAGE_ZC_COPIED IORING_ACCEPT_MULTISHOT
    IORING_POLL_ADD_MULTI IORING_POLL_UPDATE_EVENTS IORING_POLL_UPDATE_USER_DATA IORING_POLL_ADD_LEVEL
    IORING_ASYNC_CANCEL_ALL IORING_ASYNC_CANCEL_FD IORING_ASYNC_CANCEL_ANY IORING_ASYNC_CANCEL_FD_FIXED
    IORING_TIMEOUT_ABS IORING_TIMEOUT_UPDATE IORING_TIMEOUT_BOOTTIME IORING_TIMEOUT_REALTIME
    IORING_LINK_TIMEOUT_UPDATE IORING_TIMEOUT_ETIME_SUCCESS
    IORING_MSG_DATA IORING_MSG_SEND_FD IORING_MSG_RING_CQE_SKIP SPLICE_F_FD_IN_FIXED IORING_FSYNC_DATASYNC

    AF_UNSPEC AF_UNIX AF_INET AF_INET6 SOCK_STREAM SOCK_NONBLOCK SOCK_CLOEXEC SOL_SOCKET SO_REUSEADDR SO_REUSEPORT
    SO_ERROR SO_LINGER SO_KEEPALIVE SO_SNDBUF SO_RCVBUF SO_PROTOCOL SO_DOMAIN SO_TYPE SO_ACCEPTCONN SO_INCOMING_CPU
    SO_ATTACH_REUSEPORT_CBPF SO_PEERCRED IPPROTO_TCP IPPROTO_IPV6 IPV6_V6ONLY TCP_NODELAY TCP_KEEPIDLE TCP_KEEPINTVL TCP_KEEPCNT TCP_USER_TIMEOUT
    TCP_ULP SOL_TLS TLS_TX TLS_SET_RECORD_TYPE
    TCP_DEFER_ACCEPT TCP_FASTOPEN MSG_PEEK MSG_DONTWAIT MSG_WAITALL MSG_NOSIGNAL MSG_MORE MSG_TRUNC MSG_CTRUNC
    SHUT_RD SHUT_WR SHUT_RDWR SOMAXCONN

    O_RDONLY O_WRONLY O_RDWR O_CREAT O_EXCL O_TRUNC O_APPEND O_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOFOLLOW AT_FDCWD
    O_PATH RESOLVE_NO_MAGICLINKS RESOLVE_NO_SYMLINKS RESOLVE_BENEATH
    AT_EMPTY_PATH STATX_BASIC_STATS S_IFMT S_IFREG S_IFDIR S_IFLNK IN_CLOEXEC IN_ATTRIB IN_CLOSE_WRITE IN_MOVED_FROM IN_MOVED_TO
    IN_CREATE IN_DELETE IN_DELETE_SELF IN_MOVE_SELF IN_ONLYDIR IN_IGNORED IN_Q_OVERFLOW IN_MASK_ADD
    DT_UNKNOWN DT_DIR DT_REG DT_LNK
    F_GETFD F_SETFD F_SETPIPE_SZ SPLICE_F_NONBLOCK FD_CLOEXEC EFD_CLOEXEC EFD_NONBLOCK POLLIN POLLOUT POLLERR POLLHUP POLLRDHUP
    PROT_READ PROT_WRITE MAP_SHARED MAP_PRIVATE MAP_ANONYMOUS MAP_POPULATE MAP_NORESERVE MADV_DONTFORK
    MADV_DONTNEED MADV_HUGEPAGE RLIMIT_NOFILE RLIMIT_MEMLOCK

    EPERM ENOENT EINTR EIO ENXIO E2BIG EBADF EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL
    ENFILE EMFILE EFBIG ENOSPC ESPIPE EROFS EPIPE ERANGE EDEADLK ENAMETOOLONG ENOSYS ELOOP ENODATA ETIME EPROTO
    EBADMSG EOVERFLOW EBADFD ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT EOPNOTSUPP
    EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN
    ENOTCONN ESHUTDOWN ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EDQUOT ECANCELED
)

# Newer than 6.1: printed where the headers have them.
newer_values=(
    IORING_ASYNC_CANCEL_USERDATA IORING_ASYNC_CANCEL_OP IORING_SETUP_NO_MMAP IORING_SETUP_REGISTERED_FD_ONLY IORING_SETUP_NO_SQARRAY IORING_SETUP_HYBRID_IOPOLL
    IORING_FEAT_REG_REG_RING IORING_FEAT_RECVSEND_BUNDLE IORING_FEAT_MIN_TIMEOUT IORING_FEAT_RW_ATTR
    IORING_FEAT_NO_IOWAIT
    IORING_ENTER_ABS_TIMER IORING_ENTER_EXT_ARG_REG IORING_ENTER_NO_IOWAIT
    IORING_CQE_F_BUF_MORE IORING_OFF_PBUF_RING IORING_OFF_PBUF_SHIFT
    IORING_OP_READ_MULTISHOT IORING_OP_WAITID IORING_OP_FUTEX_WAIT IORING_OP_FUTEX_WAKE IORING_OP_FUTEX_WAITV
    IORING_OP_FIXED_FD_INSTALL IORING_OP_FTRUNCATE IORING_OP_BIND IORING_OP_LISTEN
    IORING_REGISTER_PBUF_STATUS IORING_REGISTER_NAPI IORING_UNREGISTER_NAPI IORING_REGISTER_CLOCK
    IORING_REGISTER_CLONE_BUFFERS IORING_REGISTER_SEND_MSG_RING IORING_REGISTER_RESIZE_RINGS
    IORING_REGISTER_MEM_REGION IORING_REGISTER_USE_REGISTERED_RING
    IOU_PBUF_RING_MMAP IOU_PBUF_RING_INC IORING_RECVSEND_BUNDLE IORING_ACCEPT_DONTWAIT IORING_ACCEPT_POLL_FIRST
    IORING_TIMEOUT_MULTISHOT IORING_MSG_RING_FLAGS_PASS IORING_FIXED_FD_NO_CLOEXEC MADV_COLLAPSE
)

includes() {
    printf '#define _GNU_SOURCE\n'
    printf '#include <%s>\n' \
        dirent.h errno.h fcntl.h netinet/in.h netinet/tcp.h poll.h stddef.h stdio.h sys/eventfd.h sys/inotify.h sys/mman.h \
        sys/resource.h sys/socket.h sys/stat.h sys/syscall.h sys/uio.h sys/un.h \
        linux/io_uring.h linux/openat2.h linux/tls.h linux/version.h
}

# What a version of the headers may or may not have: a word anywhere in them, or a field of a struct. The words go
# through a file, because under pipefail grep -q would fail the pipe that it closes early.
includes | "$cc" -E -dD - > "$work/words"
has() { grep -qw "$1" "$work/words"; }
has_field() {
    { includes; echo "char probe[sizeof(((struct $1 *)0)->$2)];"; } | "$cc" -fsyntax-only -x c - 2> /dev/null
}

{
    includes
    cat << 'EOF'
#define FIELD(type, field, name) \
    printf("offsetof(%s.%s) %zu\n", #type, name, offsetof(struct type, field)); \
    printf("sizeof(%s.%s) %zu\n", #type, name, sizeof(((struct type *)0)->field));
#define TAIL(type, field) printf("offsetof(%s.%s) %zu\n", #type, #field, offsetof(struct type, field));
#define STRUCT(type) printf("sizeof(%s) %zu\n", #type, sizeof(struct type));
#define VALUE(name) printf("%s %lld\n", #name, (long long)name);
int main(void) {
VALUE(LINUX_VERSION_CODE)
EOF
    for line in "${structs[@]}"; do
        read -r -d '' -a words <<< "$line" || true
        struct=${words[0]}
        echo "STRUCT($struct)"
        for field in "${words[@]:1}"; do
            case $field in
                *'[]') echo "TAIL($struct, ${field%'[]'})" ;;
                *'|'*)
                    name=${field%%'|'*}
                    if has_field "$struct" "$name"; then actual=$name; else actual=${field##*'|'}; fi
                    echo "FIELD($struct, $actual, \"$name\")"
                    ;;
                *) echo "FIELD($struct, $field, \"$field\")" ;;
            esac
        done
    done
    if [[ $machine == x86_64* ]]; then
        printf 'VALUE(__NR_%s)\n' "${calls[@]}"
    fi
    printf 'VALUE(%s)\n' "${values[@]}"
    for name in "${newer_values[@]}"; do
        if has "$name"; then
            echo "VALUE($name)"
        else
            echo "puts(\"# $name is not in these headers\");"
        fi
    done
    echo 'return 0; }'
} > "$work/abi.c"
"$cc" -std=gnu11 -Wall -Werror -o "$work/abi" "$work/abi.c"
{
    printf '#define __ARCH_WANT_NEW_STAT\n#include <asm-generic/unistd.h>\n#include <stdio.h>\nint main(void) {\n'
    for call in "${calls[@]}"; do
        printf 'printf("generic(__NR_%s) %%d\\n", __NR_%s);\n' "$call" "$call"
    done
    echo 'return 0; }'
} > "$work/generic.c"
"$cc" -std=gnu11 -Wall -Werror -o "$work/generic" "$work/generic.c"
{ "${run[@]}" "$work/abi"; "${run[@]}" "$work/generic"; } > "$work/abi.txt"

case ${1:-} in
    '') cat "$work/abi.txt" ;;
    --check)
        # Comments and the version may differ; each other line of the table must be among what was printed.
        if [[ $machine != x86_64* ]]; then
            others=(-e '^__NR_')
        fi
        if [[ $machine == aarch64* ]]; then
            # Its own numbers (arch/arm64/include/uapi/asm/fcntl.h): the first is not used, the second is FileConstants.OpenNoFollow.
            others+=(-e '^O_DIRECTORY ' -e '^O_NOFOLLOW ')
            grep -qx "O_NOFOLLOW $((0x8000))" "$work/abi.txt"
        fi
        mapfile -t -O ${#others[@]} others < <(sed -n 's/^# \([A-Z_0-9]*\) is not in these headers$/-e\n^\1 /p' "$work/abi.txt")
        if grep -v -e '^#' -e '^LINUX_VERSION_CODE ' "${others[@]}" "$table" | grep -vxFf "$work/abi.txt" > "$work/wrong"; then
            echo "eng/abi.sh: $table disagrees with these headers in:" >&2
            cat "$work/wrong" >&2
            exit 1
        fi
        echo "$table agrees with these headers: $(grep -vc '^#' "$table") lines"
        ;;
    *)
        echo "usage: eng/abi.sh [--check]" >&2
        exit 2
        ;;
esac
