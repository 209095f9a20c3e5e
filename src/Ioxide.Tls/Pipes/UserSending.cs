namespace Ioxide.Tls;

/// <summary>The sending side of a session whose records are made here. After a hand-over <see cref="KernelSending"/> takes its place.</summary>
/// <remarks>
/// Records go directly into the connection's send blocks. Threads: inside the writer's lock. <see cref="End"/> is the last call, before the kernel
/// gets the key: no record of this side's follows it.
/// </remarks>
internal sealed class UserSending(SendPipe output, TlsBufferSession session)
{
    internal const byte Warning = 1;
    internal const byte Fatal = 2;

    // A stretch this short at the end of a block is not worth a record of its own.
    private const int MinStretch = 1024;

    private bool _isOver;

    /// <summary>The peer asked for a new key: a KeyUpdate precedes the next record.</summary>
    internal bool MustUpdateKey { get; set; }

    /// <summary>Whether a KeyUpdate precedes the next record.</summary>
    internal bool IsKeyDue => MustUpdateKey || session.Sealer.NeedsNewKey;

    /// <summary>Encrypts data into records.</summary>
    internal void Write(ReadOnlySpan<byte> data)
    {
        while (!data.IsEmpty)
        {
            Debug.Assert(!_isOver, "the kernel has the key, and would encrypt this record again");
            int overhead = session.Sealer.OverheadBytes;
            if (IsKeyDue)
            {
                MustUpdateKey = false;
                output.Advance(session.UpdateKey(output.GetSpan(TlsBufferSession.KeyUpdate.Length + overhead)));
            }

            // The first block of a flush is as large as its first record, so that a long piece does not begin with a short one.
            int stretch = output.UnflushedBytes == 0 ? session.Sealer.MaxDataBytes : MinStretch;
            _ = session.Write(data, output.GetSpan(Math.Min(data.Length, stretch) + overhead), out int consumed, out int written);
            output.Advance(written);
            data = data[consumed..];
        }
    }

    /// <summary>Encrypts one alert.</summary>
    internal void WriteAlert(ReadOnlySpan<byte> alert)
    {
        Debug.Assert(!_isOver, "the kernel has the key, and would encrypt this record again");
        output.Advance(session.WriteAlert(alert, output.GetSpan(alert.Length + session.Sealer.OverheadBytes)));
    }

    /// <summary>The kernel makes the records from here on.</summary>
    internal void End()
    {
        Debug.Assert(output.UnflushedBytes == 0);
        Debug.Assert(output.PendingBytes == 0);
        _isOver = true;
    }
}
