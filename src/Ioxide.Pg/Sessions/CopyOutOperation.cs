using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Ioxide.Pg;

/// <summary>COPY ... TO STDOUT: what the server sends goes into a pipe as it comes, and no faster than the pipe is read.</summary>
internal sealed class CopyOutOperation(byte[] sql, PipeWriter writer) : AwaitedOperation, IValueTaskSource<PgTag>
{
    private const int FlushBytes = 16 * 1024;

    private ManualResetValueTaskSourceCore<PgTag> _source;
    private PgTag _tag;
    private bool _hasStarted;
    private long _unflushed;

    internal override bool CanRepeat => false;

    internal ValueTask<PgTag> RunAsync(CommandTarget target, CancellationToken cancellationToken)
    {
        _source.RunContinuationsAsynchronously = !target.Reactor.IsCurrent;
        var result = new ValueTask<PgTag>(this, _source.Version);
        Submit(target, target.DataSource.Options.CommandTimeout, cancellationToken);
        return result;
    }

    PgTag IValueTaskSource<PgTag>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<PgTag>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<PgTag>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, FlagsFor(flags, _source.RunContinuationsAsynchronously));

    internal override bool TryWrite(ServerConnection connection)
    {
        MessageWriter.WriteQuery(connection.Output, sql);
        return true;
    }

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
            _unflushed += count;
        }
    }

    internal override ValueTask ReceivedAsync()
    {
        if (_unflushed < FlushBytes)
        {
            return default;
        }

        _unflushed = 0;
        return RowStream.FlushAsync(writer);
    }

    internal override void CommandCompleted(PgTag tag) => _tag = tag;

    internal override void Release() => Stage = OperationStage.Ended;

    private protected override string Name => "COPY";

    private protected override void SetResult()
    {
        if (Error is { } error)
        {
            _source.SetException(error);
        }
        else if (!_hasStarted)
        {
            _source.SetException(new InvalidOperationException("The command is no COPY ... TO STDOUT."));
        }
        else
        {
            _source.SetResult(_tag);
        }
    }
}
