using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>COPY ... TO STDOUT: passes the server's data into a pipe as it arrives, no faster than the pipe is read.</summary>
internal sealed class CopyOutRoundTrip(byte[] sql, PipeWriter writer) : SimpleQuery<PgTag>(sql)
{
    private readonly PipeFlush _flush = new(writer);
    private PgTag _tag;
    private bool _hasStarted;

    internal override bool RunsUserCode => true;

    internal override bool LimitsEachWait => true;

    private protected override string Name => "COPY";

    private protected override PgTag Result => _tag;

    private protected override Exception? Misuse
        => _hasStarted ? null : new InvalidOperationException("The command is no COPY ... TO STDOUT.");

    internal override void CopyOutStarted(ReadOnlySpan<byte> body) => _hasStarted = true;

    internal override void CopyDataReceived(ReadOnlySpan<byte> body)
    {
        if (IsAbandoned || Error is not null)
        {
            return;
        }

        while (!body.IsEmpty)
        {
            Span<byte> room = writer.GetSpan();
            int count = Math.Min(room.Length, body.Length);
            body[..count].CopyTo(room);
            writer.Advance(count);
            body = body[count..];
            _flush.Written(count);
        }
    }

    internal override ValueTask ReceivedAsync() => _flush.RunIfFullAsync();

    internal override bool EndsWithSession => true;

    internal override bool TryEndByItself()
    {
        _flush.Stop();
        return false;
    }

    internal override void CommandCompleted(PgTag tag) => _tag = tag;
}
