namespace Ioxide.TestKit;

/// <summary>What a <see cref="FaultProxy"/> does to one direction of a connection, and when.</summary>
/// <remarks>
/// Every fault comes as soon as what is before it was forwarded. <c>ProxyFault.CutAfter(Direction.ToClient, 100)</c> ends the
/// connection after the server's hundredth byte; <c>.AtMessage(3)</c> moves a fault to after the third message,
/// <c>.AtEveryMessage()</c> repeats it after each, and <c>.On(1)</c> restricts it to the second connection.
/// </remarks>
internal sealed record ProxyFault
{
    private ProxyFault(ProxyFaultKind kind, Direction direction, long afterBytes)
    {
        Kind = kind;
        Direction = direction;
        AfterBytes = afterBytes;
    }

    internal ProxyFaultKind Kind { get; }

    internal Direction Direction { get; }

    /// <summary>After so many bytes of the direction, where no message is named.</summary>
    internal long AfterBytes { get; }

    /// <summary>After so many messages of the direction; null: bytes count. 0 is the start.</summary>
    internal int? AfterMessages { get; private init; }

    /// <summary>After every message of the direction.</summary>
    internal bool IsAtEveryMessage { get; private init; }

    /// <summary>Only this connection, from 0; null for all.</summary>
    internal int? Connection { get; private init; }

    /// <summary>How long a delay is.</summary>
    internal TimeSpan Pause { get; private init; }

    /// <summary>Bytes of a slice.</summary>
    internal int SliceBytes { get; private init; }

    /// <summary>Whether nothing follows a slice until <see cref="FaultProxy.Release"/>.</summary>
    internal bool IsEachHeld { get; private init; }

    /// <summary>What replaces or is inserted.</summary>
    internal ReadOnlyMemory<byte> Bytes { get; private init; }

    internal bool CountsMessages => IsAtEveryMessage || AfterMessages is not null;

    /// <summary>Ends the connection: both sides see the end of the stream.</summary>
    internal static ProxyFault CutAfter(Direction direction, long bytes) => new(ProxyFaultKind.Cut, direction, bytes);

    /// <summary>Resets the connection to both sides, once all before it was acknowledged.</summary>
    internal static ProxyFault ResetAfter(Direction direction, long bytes) => new(ProxyFaultKind.Reset, direction, bytes);

    /// <summary>Ends this direction only; the other goes on.</summary>
    internal static ProxyFault HalfCloseAfter(Direction direction, long bytes) => new(ProxyFaultKind.HalfClose, direction, bytes);

    /// <summary>Everything after it disappears; nobody is told.</summary>
    internal static ProxyFault DropAfter(Direction direction, long bytes) => new(ProxyFaultKind.Drop, direction, bytes);

    /// <summary>Nothing is read any more until <see cref="FaultProxy.Release"/>, so that the sender's buffers fill.</summary>
    internal static ProxyFault StallAfter(Direction direction, long bytes) => new(ProxyFaultKind.Stall, direction, bytes);

    internal static ProxyFault DelayAfter(Direction direction, long bytes, TimeSpan pause)
        => new(ProxyFaultKind.Delay, direction, bytes) { Pause = pause };

    /// <summary>Forwards so many bytes a send from there on.</summary>
    internal static ProxyFault SliceAfter(Direction direction, long bytes, int sliceBytes, bool isEachHeld = false)
        => new(ProxyFaultKind.Slice, direction, bytes) { SliceBytes = sliceBytes, IsEachHeld = isEachHeld };

    /// <summary>Overwrites the bytes that follow.</summary>
    internal static ProxyFault ReplaceAfter(Direction direction, long bytes, ReadOnlyMemory<byte> replacement)
        => new(ProxyFaultKind.Replace, direction, bytes) { Bytes = replacement };

    /// <summary>Sends more than came.</summary>
    internal static ProxyFault InsertAfter(Direction direction, long bytes, ReadOnlyMemory<byte> inserted)
        => new(ProxyFaultKind.Insert, direction, bytes) { Bytes = inserted };

    internal ProxyFault AtMessage(int afterMessages) => this with { AfterMessages = afterMessages };

    internal ProxyFault AtEveryMessage() => this with { IsAtEveryMessage = true };

    internal ProxyFault On(int connection) => this with { Connection = connection };

    /// <summary>One of the faults that a network has, drawn by a seed.</summary>
    internal static ProxyFault Draw(Random random, int maxBytes)
    {
        var direction = (Direction)random.Next(2);
        int after = random.Next(maxBytes);
        return random.Next(6) switch
        {
            0 => CutAfter(direction, after),
            1 => ResetAfter(direction, after),
            2 => DelayAfter(direction, after, random.Next(1, 20).Milliseconds()),
            3 => SliceAfter(direction, after, random.Next(1, 64)),
            4 => DelayAfter(direction, 0, random.Next(1, 3).Milliseconds()).AtEveryMessage(),
            _ => ResetAfter(direction, 0).AtMessage(random.Next(1, 20)),
        };
    }

    internal bool IsDue(long bytes, int messages, bool isNewMessage)
        => IsAtEveryMessage ? isNewMessage : AfterMessages is { } count ? count == messages && isNewMessage : AfterBytes == bytes;
}
