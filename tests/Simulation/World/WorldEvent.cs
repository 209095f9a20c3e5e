namespace Ioxide.Simulation;

internal enum WorldEventKind : byte
{
    Connect,
    Send,
    Read,
    Finish,
    Reset,
    AnswerConnect,
    CancelConnect,
    Elsewhere,
    Unbind,
    Stop,
    Release,
    Disk,
}

/// <summary>Something that happens outside of the kernel at a time.</summary>
internal readonly record struct WorldEvent(WorldEventKind Kind, Peer? Peer = null);
