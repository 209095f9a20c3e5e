using System.Reflection;
using System.Runtime.InteropServices;

namespace Ioxide.Tests;

/// <summary>
/// Structs and numbers that the kernel reads must be the kernel's. Every explicit struct and every constant of
/// <c>Interop/</c> is compared with the table that <c>eng/abi.sh</c> printed from the kernel's own headers; one that no line
/// of this file maps fails too.
/// </summary>
[Once]
public class AbiTests
{
    private static readonly AbiTable s_table = AbiTable.Read();

    // Our struct and the kernel's, then field by field; nothing behind the sign for what has no counterpart.
    private static readonly Dictionary<Type, (string Kernel, string Fields)> s_structs = new()
    {
        [typeof(Sqe)] = ("io_uring_sqe", """
            Opcode=opcode Flags=flags IoPriority=ioprio Descriptor=fd Offset=off Address=addr Length=len
            OperationFlags=rw_flags UserData=user_data BufferGroup=buf_group Personality=personality FileIndex=file_index
            Address3=addr3 Padding=
            """),
        [typeof(Cqe)] = ("io_uring_cqe", "UserData=user_data Result=res Flags=flags"),
        [typeof(RingParams)] = ("io_uring_params", """
            SqEntries=sq_entries CqEntries=cq_entries Flags=flags SqThreadCpu=sq_thread_cpu SqThreadIdleMs=sq_thread_idle
            Features=features WorkQueueDescriptor=wq_fd SqOffsets=sq_off CqOffsets=cq_off
            """),
        [typeof(SqRingOffsets)] = ("io_sqring_offsets", """
            Head=head Tail=tail RingMask=ring_mask RingEntries=ring_entries Flags=flags Dropped=dropped Array=array
            """),
        [typeof(CqRingOffsets)] = ("io_cqring_offsets", """
            Head=head Tail=tail RingMask=ring_mask RingEntries=ring_entries Overflow=overflow Cqes=cqes Flags=flags
            """),
        [typeof(BufferRingEntry)] = ("io_uring_buf", "Address=addr Length=len BufferId=bid"),
        [typeof(BufferRingRegistration)] = (
            "io_uring_buf_reg", "RingAddress=ring_addr RingEntries=ring_entries BufferGroup=bgid Flags=flags"),
        [typeof(GetEventsArgument)] = (
            "io_uring_getevents_arg", "SignalMask=sigmask SignalMaskSize=sigmask_sz MinimumWaitUs=min_wait_usec Timeout=ts"),
        [typeof(RingRestriction)] = ("io_uring_restriction", "Opcode=opcode Value=sqe_op"),
        [typeof(ResourceUpdate)] = ("io_uring_rsrc_update", "Offset=offset Data=data"),
        [typeof(NapiRegistration)] = ("io_uring_napi", "BusyPollUs=busy_poll_to PreferBusyPoll=prefer_busy_poll"),
        [typeof(OperationProbe)] = ("io_uring_probe", "LastOperation=last_op OperationCount=ops_len Operations="),
        [typeof(KernelTimespec)] = ("__kernel_timespec", "Seconds=tv_sec Nanoseconds=tv_nsec"),
        [typeof(IoVector)] = ("iovec", "Base=iov_base Length=iov_len"),
        [typeof(ControlHeader)] = ("cmsghdr", "Length=cmsg_len Level=cmsg_level Type=cmsg_type"),
        [typeof(MessageHeader)] = ("msghdr", """
            Name=msg_name NameLength=msg_namelen Vectors=msg_iov VectorCount=msg_iovlen Control=msg_control
            ControlLength=msg_controllen Flags=msg_flags
            """),
        [typeof(ResourceLimit)] = ("rlimit", "Current=rlim_cur Maximum=rlim_max"),
        [typeof(OpenHow)] = ("open_how", "Flags=flags Mode=mode Resolve=resolve"),
        [typeof(FileTimestamp)] = ("statx_timestamp", "Seconds=tv_sec Nanoseconds=tv_nsec"),
        [typeof(FileStatus)] = ("statx", """
            Mask=stx_mask Mode=stx_mode Inode=stx_ino Length=stx_size Changed=stx_ctime Modified=stx_mtime
            DeviceMajor=stx_dev_major DeviceMinor=stx_dev_minor
            """),
    };

    // Our constants and the kernel's, type by type; nothing behind the sign for what is only ours.
    private static readonly Dictionary<Type, string> s_constants = new()
    {
        [typeof(Opcode)] = """
            Nop=IORING_OP_NOP PollAdd=IORING_OP_POLL_ADD SendMessage=IORING_OP_SENDMSG Accept=IORING_OP_ACCEPT
            AsyncCancel=IORING_OP_ASYNC_CANCEL Connect=IORING_OP_CONNECT Close=IORING_OP_CLOSE Read=IORING_OP_READ
            Send=IORING_OP_SEND Receive=IORING_OP_RECV OpenAt=IORING_OP_OPENAT
            """,
        [typeof(SetupFlags)] = """
            CompletionQueueSize=IORING_SETUP_CQSIZE Clamp=IORING_SETUP_CLAMP
            Disabled=IORING_SETUP_R_DISABLED SubmitAll=IORING_SETUP_SUBMIT_ALL SingleIssuer=IORING_SETUP_SINGLE_ISSUER
            DeferTaskRun=IORING_SETUP_DEFER_TASKRUN NoSubmissionArray=IORING_SETUP_NO_SQARRAY
            """,
        [typeof(EnterFlags)] = """
            GetEvents=IORING_ENTER_GETEVENTS ExtendedArgument=IORING_ENTER_EXT_ARG RegisteredRing=IORING_ENTER_REGISTERED_RING NoIoWait=IORING_ENTER_NO_IOWAIT
            """,
        [typeof(RegisterOpcode)] = """
            Probe=IORING_REGISTER_PROBE Restrictions=IORING_REGISTER_RESTRICTIONS EnableRings=IORING_REGISTER_ENABLE_RINGS
            RingDescriptors=IORING_REGISTER_RING_FDS UnregisterRingDescriptors=IORING_UNREGISTER_RING_FDS
            BufferRing=IORING_REGISTER_PBUF_RING UnregisterBufferRing=IORING_UNREGISTER_PBUF_RING Napi=IORING_REGISTER_NAPI
            """,
        [typeof(RingFeatureFlags)] = """
            SingleMapping=IORING_FEAT_SINGLE_MMAP NoDrop=IORING_FEAT_NODROP ExtendedArgument=IORING_FEAT_EXT_ARG
            MinimumTimeout=IORING_FEAT_MIN_TIMEOUT NoIoWait=IORING_FEAT_NO_IOWAIT
            """,
        [typeof(SqeFlags)] = "HardLink=IOSQE_IO_HARDLINK BufferSelect=IOSQE_BUFFER_SELECT",
        [typeof(CqeFlags)] = "Buffer=IORING_CQE_F_BUFFER More=IORING_CQE_F_MORE BufferShift=IORING_CQE_BUFFER_SHIFT",
        [typeof(SubmissionQueueFlags)] = "CompletionOverflow=IORING_SQ_CQ_OVERFLOW",
        [typeof(OperationFlags)] = """
            AcceptMultishot=IORING_ACCEPT_MULTISHOT ReceiveMultishot=IORING_RECV_MULTISHOT PollFirst=IORING_RECVSEND_POLL_FIRST
            PollMultishot=IORING_POLL_ADD_MULTI
            """,
        [typeof(RingRestriction)] = """
            AllowRegister=IORING_RESTRICTION_REGISTER_OP AllowOperation=IORING_RESTRICTION_SQE_OP
            AllowFlags=IORING_RESTRICTION_SQE_FLAGS_ALLOWED
            """,
        [typeof(SocketConstants)] = """
            FamilyUnix=AF_UNIX FamilyInternet=AF_INET FamilyInternet6=AF_INET6 TypeStream=SOCK_STREAM
            CloseOnExec=SOCK_CLOEXEC NonBlocking=SOCK_NONBLOCK LevelSocket=SOL_SOCKET OptionReuseAddress=SO_REUSEADDR
            OptionKeepAlive=SO_KEEPALIVE OptionLinger=SO_LINGER OptionReusePort=SO_REUSEPORT
            OptionAcceptsConnections=SO_ACCEPTCONN LevelTcp=IPPROTO_TCP
            OptionNoDelay=TCP_NODELAY OptionKeepAliveIdle=TCP_KEEPIDLE OptionKeepAliveInterval=TCP_KEEPINTVL
            OptionKeepAliveCount=TCP_KEEPCNT OptionUserTimeout=TCP_USER_TIMEOUT OptionTcpInfo=TCP_INFO TcpInfoBytes=
            OptionUpperLayer=TCP_ULP LevelTls=SOL_TLS TlsTransmit=TLS_TX TlsSetRecordType=TLS_SET_RECORD_TYPE
            LevelInternet6=IPPROTO_IPV6 OptionInternet6Only=IPV6_V6ONLY ShutdownWrite=SHUT_WR
            ShutdownBoth=SHUT_RDWR
            MessageWaitAll=MSG_WAITALL MessageNoSignal=MSG_NOSIGNAL MessageDoNotWait=MSG_DONTWAIT MessageMore=MSG_MORE
            PollIn=POLLIN PollOut=POLLOUT
            """,
        [typeof(Sys)] = """
            ProtectRead=PROT_READ ProtectWrite=PROT_WRITE MapShared=MAP_SHARED MapPrivate=MAP_PRIVATE
            MapAnonymous=MAP_ANONYMOUS MapPopulate=MAP_POPULATE ResourceMemoryLock=RLIMIT_MEMLOCK
            AdviseCollapse=MADV_COLLAPSE
            ResourceOpenFiles=RLIMIT_NOFILE
            PipeSetSize=F_SETPIPE_SZ SpliceNonBlocking=SPLICE_F_NONBLOCK
            """,
        [typeof(FileConstants)] = """
            CurrentDirectory=AT_FDCWD OpenReadOnly=O_RDONLY OpenWriteOnly=O_WRONLY OpenNonBlocking=O_NONBLOCK OpenCloseOnExec=O_CLOEXEC OpenPath=O_PATH
            ResolveNoMagicLinks=RESOLVE_NO_MAGICLINKS ResolveNoSymbolicLinks=RESOLVE_NO_SYMLINKS ResolveBeneath=RESOLVE_BENEATH
            StatusEmptyPath=AT_EMPTY_PATH StatusBasic=STATX_BASIC_STATS ModeTypeMask=S_IFMT ModeRegular=S_IFREG
            ModeDirectory=S_IFDIR ModeLink=S_IFLNK NotifyCloseOnExec=IN_CLOEXEC NotifyAttributes=IN_ATTRIB NotifyCloseWrite=IN_CLOSE_WRITE
            NotifyMovedFrom=IN_MOVED_FROM NotifyMovedTo=IN_MOVED_TO NotifyCreate=IN_CREATE NotifyDelete=IN_DELETE
            NotifyDeleteSelf=IN_DELETE_SELF NotifyMoveSelf=IN_MOVE_SELF NotifyOnlyDirectory=IN_ONLYDIR
            NotifyIgnored=IN_IGNORED NotifyOverflow=IN_Q_OVERFLOW NotifyAddToMask=IN_MASK_ADD
            EntryUnknown=DT_UNKNOWN EntryFolder=DT_DIR EntryFile=DT_REG EntryLink=DT_LNK
            """,
    };

    // Each system call and the kernel's name for it.
    private const string Calls = """
        RingSetup=io_uring_setup RingEnter=io_uring_enter RingRegister=io_uring_register Map=mmap Unmap=munmap
        Protect=mprotect Advise=madvise Close=close Write=write Control=ioctl FileControl=fcntl EventDescriptor=eventfd2
        Socket=socket Bind=bind Listen=listen Accept=accept4 Shutdown=shutdown SetSocketOption=setsockopt
        GetSocketOption=getsockopt GetSocketName=getsockname GetPeerName=getpeername Send=sendto SendMessage=sendmsg
        Receive=recvfrom Connect=connect EpollCreate=epoll_create1 EpollControl=epoll_ctl EpollWait=epoll_pwait
        EpollWaitPrecisely=epoll_pwait2 Poll=ppoll Read=read ReadAt=pread64 ReadVectors=preadv2 Pipe=pipe2
        SplicePages=vmsplice Splice=splice Open=openat2 OpenAt=openat ReadLink=readlinkat ReadFolder=getdents64
        Status=statx PlainStatus=fstat FileSystem=fstatfs NotifyQueue=inotify_init1 NotifyAdd=inotify_add_watch
        NotifyRemove=inotify_rm_watch
        SetAffinity=sched_setaffinity GetAffinity=sched_getaffinity ResourceLimit=prlimit64 Names=uname EffectiveUserId=geteuid
        """;

    public static TheoryData<string> Structs => [.. s_structs.Keys.Select(type => type.Name)];

    public static TheoryData<string> Constants => [.. s_constants.Keys.Select(type => type.Name)];

    [Fact]
    public void TheTableNamesTheVersionOfItsHeadersAndHoldsWhatTheyPrint()
    {
        Assert.StartsWith("LINUX_VERSION_CODE ", s_table.FirstLine, StringComparison.Ordinal);
        Assert.True(s_table["LINUX_VERSION_CODE"] >= 6 << 16, "The headers are older than Linux 6.0.");
        Assert.True(s_table.Count > 400, $"The table has only {s_table.Count} lines.");
        Assert.Throws<KeyNotFoundException>(() => s_table["IORING_OP_NO_SUCH_THING"]);
    }

    [Theory, MemberData(nameof(Structs))]
    public void AStructHasTheSizeAndTheOffsetsOfTheKernels(string name)
    {
        (Type type, (string kernel, string fields)) = s_structs.Single(pair => pair.Key.Name == name);
        Dictionary<string, string> map = Pairs(fields);
        long variablePart = type == typeof(OperationProbe) ? OperationProbe.MaxOperations * s_table["sizeof(io_uring_probe_op)"] : 0;

        Assert.Equal(s_table[$"sizeof({kernel})"] + variablePart, Marshal.SizeOf(type));
        FieldInfo[] ours = type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
        Assert.Equal(ours.Select(field => field.Name).Order(), map.Keys.Order());
        foreach (FieldInfo field in ours.Where(field => map[field.Name].Length > 0))
        {
            string kernelField = $"{kernel}.{map[field.Name]}";
            Type plain = field.FieldType.IsEnum ? field.FieldType.GetEnumUnderlyingType() : field.FieldType;
            Assert.Equal(
                (kernelField, s_table[$"offsetof({kernelField})"], s_table[$"sizeof({kernelField})"]),
                (kernelField, Marshal.OffsetOf(type, field.Name), Marshal.SizeOf(plain)));
        }
    }

    [Fact]
    public void EveryStructOfExplicitLayoutIsInTheMap()
    {
        IEnumerable<string> inAssembly = typeof(Ring).Assembly.GetTypes()
            .Where(type => type.IsValueType && type.IsExplicitLayout && type.Namespace == nameof(Ioxide)).Select(type => type.Name);

        Assert.Equal(s_structs.Keys.Select(type => type.Name).Order(), inAssembly.Order());
    }

    [Theory, MemberData(nameof(Constants))]
    public void AConstantHasTheValueOfTheKernels(string name)
    {
        (Type type, string constants) = s_constants.Single(pair => pair.Key.Name == name);
        Dictionary<string, string> map = Pairs(constants);
        Dictionary<string, long> ours = ConstantsOf(type);

        Assert.Equal(ours.Keys.Order(), map.Keys.Order());
        foreach ((string constant, long value) in ours.Where(pair => map[pair.Key].Length > 0))
        {
            Assert.Equal((map[constant], s_table[map[constant]]), (map[constant], value));
        }
    }

    [Fact]
    public void ASystemCallHasTheNumbersOfTheKernels()
    {
        Dictionary<string, string> map = Pairs(Calls);
        FieldInfo[] ours = [.. typeof(CallNumber).GetFields(BindingFlags.Static | BindingFlags.NonPublic)
            .Where(field => field.FieldType == typeof(CallNumber))];

        Assert.Equal(ours.Select(field => field.Name).Order(), map.Keys.Order());
        foreach (FieldInfo field in ours)
        {
            string name = $"__NR_{map[field.Name]}";
            var number = (CallNumber)field.GetValue(null)!;
            Assert.Equal((name, s_table[name], s_table[$"generic({name})"]), (name, number.OnX64, number.Elsewhere));
        }
    }

    /// <summary>A second import of a call, in whichever file, would go past the simulator and past what the documents list.</summary>
    [Fact]
    public void OneLineOfTheSourcesImportsFromLibc()
    {
        string[] imports = [.. Directory.EnumerateFiles(Path.Combine(Repository.Root, "src"), "*.cs", SearchOption.AllDirectories)
            .Where(file => File.ReadLines(file).Any(line => line.Contains("Import(\"libc\"", StringComparison.Ordinal)))];

        Assert.Equal([Path.Combine(Repository.Root, "src/Ioxide/Kernel/Sys.cs")], imports);
        Assert.Single(File.ReadLines(imports[0]), line => line.Contains("Import(\"libc\"", StringComparison.Ordinal));
    }

    [Fact]
    public void AnErrorNumberHasTheValueOfTheKernelsAndItsName()
    {
        Dictionary<string, long> ours = ConstantsOf(typeof(Errno));

        Assert.NotEmpty(ours);
        foreach ((string constant, long value) in ours)
        {
            Assert.Equal((constant, s_table[constant]), (constant, value));
            Assert.Equal(constant, Errno.Name((int)value));
        }

        Assert.Equal("errno 4095", Errno.Name(4095));
    }

    [Fact]
    public void WhatSharesAPlaceInAnEntryIsAsWideAsTheFieldThatCarriesIt()
    {
        // Ioxide writes these through Offset, Address, OperationFlags and BufferGroup.
        foreach ((string kernel, long offset, long bytes) in new[]
        {
            ("addr2", 8L, 8L), ("msg_flags", 28, 4), ("accept_flags", 28, 4), ("cancel_flags", 28, 4),
            ("poll32_events", 28, 4), ("msg_ring_flags", 28, 4), ("open_flags", 28, 4), ("rw_flags", 28, 4),
        })
        {
            Assert.Equal((kernel, offset), (kernel, s_table[$"offsetof(io_uring_sqe.{kernel})"]));
            Assert.Equal((kernel, bytes), (kernel, s_table[$"sizeof(io_uring_sqe.{kernel})"]));
        }

        Assert.Equal(BufferRingEntry.TailOffset, s_table["offsetof(io_uring_buf_ring.tail)"]);
        Assert.Equal(BufferRingEntry.SizeInBytes, s_table["sizeof(io_uring_buf_ring)"]);
        Assert.Equal(s_table["offsetof(io_uring_probe.ops)"], Marshal.OffsetOf<OperationProbe>(nameof(OperationProbe.Operations)));
        Assert.Equal(SocketAddress.MaxLengthBytes, s_table["sizeof(sockaddr_storage)"]);
    }

    private static Dictionary<string, long> ConstantsOf(Type type)
        => type.GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)
            .Where(field => field.IsLiteral && field.Name != "None" && field.FieldType != typeof(string))
            .ToDictionary(field => field.Name, field => Convert.ToInt64(field.GetRawConstantValue(), null));

    private static Dictionary<string, string> Pairs(string text)
        => text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)
            .Select(pair => pair.Split('=')).ToDictionary(pair => pair[0], pair => pair[1]);
}
