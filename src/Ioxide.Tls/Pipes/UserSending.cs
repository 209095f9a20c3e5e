namespace Ioxide.Tls;

/// <summary>The sending side of a session whose records are made here. After a hand-over <see cref="KernelSending"/> takes its place.</summary>
/// <remarks>
/// Records go directly into the connection's send blocks. Threads: inside the writer's lock. <see cref="End"/> is the last call, before the kernel
/// gets the key: no record of this side's follows it.
/// </remarks>
internal sealed class UserSending(SendPipe output, RecordSealer sealer)
{
    internal const byte Warning = 1;
    internal const byte Fatal = 2;

    // A stretch this short at the end of a block is not worth a record of its own.
    private const int MinStretch = 1024;

    private bool _isOver;

    /// <summary>The answer to a peer's KeyUpdate: it asks for none.</summary>
    internal static ReadOnlySpan<byte> KeyUpdate => [24, 0, 0, 1, 0];

    /// <summary>The peer asked for a new key: a KeyUpdate precedes the next record.</summary>
    internal bool MustUpdateKey { get; set; }

    /// <summary>Whether a KeyUpdate precedes the next record.</summary>
    internal bool IsKeyDue => MustUpdateKey || sealer.NeedsNewKey;

    /// <summary>Encrypts data into records.</summary>
    internal void Write(ReadOnlySpan<byte> data)
    {
        while (!data.IsEmpty)
        {
            if (IsKeyDue)
            {
                MustUpdateKey = false;
                WriteRecord(RecordType.Handshake, KeyUpdate);
                sealer.Update();
            }

            Debug.Assert(!_isOver, "the kernel has the key, and would encrypt this record again");
            int overhead = sealer.OverheadBytes;

            // The first block of a flush is as large as its first record, so that a long piece does not begin with a short one.
            int stretch = output.UnflushedBytes == 0 ? sealer.MaxDataBytes : MinStretch;
            Span<byte> room = output.GetSpan(Math.Min(data.Length, stretch) + overhead);
            int count = Math.Min(Math.Min(data.Length, sealer.MaxDataBytes), room.Length - overhead);
            output.Advance(sealer.Seal(RecordType.ApplicationData, data[..count], room));
            data = data[count..];
        }
    }

    /// <summary>Encrypts one record.</summary>
    internal void WriteRecord(RecordType type, ReadOnlySpan<byte> content)
    {
        Debug.Assert(!_isOver, "the kernel has the key, and would encrypt this record again");
        output.Advance(sealer.Seal(type, content, output.GetSpan(content.Length + sealer.OverheadBytes)));
    }

    /// <summary>The kernel makes the records from here on.</summary>
    internal void End()
    {
        Debug.Assert(output.UnflushedBytes == 0);
        Debug.Assert(output.PendingBytes == 0);
        _isOver = true;
    }
}
