namespace Ioxide;

/// <summary>The operations of <c>IORING_OP_*</c> that the runtime submits. No other is allowed on its rings.</summary>
/// <remarks>Source: include/uapi/linux/io_uring.h, Linux 6.1.</remarks>
internal enum Opcode : byte
{
    Nop = 0,
    PollAdd = 6,
    SendMessage = 9,
    Accept = 13,
    AsyncCancel = 14,
    Connect = 16,
    Close = 19,
    Read = 22,
    Send = 26,
    Receive = 27,

    /// <summary>Not allowed: it shows that the ring refuses operations which are not on its list.</summary>
    OpenAt = 18,
}
