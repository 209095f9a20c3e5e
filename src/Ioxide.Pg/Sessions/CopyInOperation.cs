using System.Threading.Tasks.Sources;

namespace Ioxide.Pg;

/// <summary>COPY ... FROM STDIN: the command, then data of the caller's until it is done or fails.</summary>
/// <remarks>
/// It runs by the simple query protocol: after an error the server drops what is still on its way, and is ready at once.
/// Source: PostgreSQL manual, 55.2.6 COPY Operations.
/// </remarks>
internal sealed class CopyInOperation(byte[] sql) : AwaitedOperation, IValueTaskSource<PgTag>
{
    private readonly TaskCompletionSource<bool> _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ReactorAwaitable<PgTag> _source;
    private PgTag _tag;

    internal override bool CanRepeat => false;

    internal override SessionEffect Effect => SessionEffect.Unknown;

    /// <summary>The server takes data; whether in binary form.</summary>
    internal Task<bool> Started => _started.Task;

    internal ValueTask<PgTag> RunAsync(CommandTarget target, CancellationToken cancellationToken)
    {
        _source.ResumesOnThreadPool = true;
        var result = new ValueTask<PgTag>(this, _source.Version);

        // How long it lasts is the caller's affair: the data is his.
        Submit(target, TimeSpan.Zero, cancellationToken);
        return result;
    }

    PgTag IValueTaskSource<PgTag>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<PgTag>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<PgTag>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags, keepsContext: true);

    internal override void Write(ServerConnection connection) => MessageWriter.WriteQuery(connection.Output, sql);

    internal override void CopyInStarted(ReadOnlySpan<byte> body) => _started.TrySetResult(body is [1, ..]);

    internal override void CommandCompleted(PgTag tag) => _tag = tag;

    internal override void Release() => Stage = OperationStage.Ended;

    /// <summary>Sends data and waits while the transport is full. Threads: the reactor's.</summary>
    internal ValueTask SendAsync(ReadOnlySpan<byte> data)
    {
        if (Stage != OperationStage.Sent || Error is not null)
        {
            // The server has failed it already; the caller is told by the result.
            return default;
        }

        MessageWriter.WriteCopyData(Connection!.Output, data);
        return Connection.FlushAsync();
    }

    /// <summary>Says that there is no more data, or that it is not to be kept. Threads: the reactor's.</summary>
    internal void End(ReadOnlySpan<byte> failure)
    {
        if (Stage != OperationStage.Sent || Error is not null)
        {
            return;
        }

        if (failure.IsEmpty)
        {
            MessageWriter.WriteCopyDone(Connection!.Output);
        }
        else
        {
            MessageWriter.WriteCopyFail(Connection!.Output, failure);
        }

        Connection.ScheduleFlush();
    }

    private protected override string Name => "COPY";

    private protected override void SetResult()
    {
        if (Error is { } error)
        {
            _started.TrySetException(error);
            _ = _started.Task.Exception;
            _source.SetException(Target!.Reactor, error);
            return;
        }

        if (!_started.Task.IsCompleted)
        {
            var refusal = new InvalidOperationException("The command is no COPY ... FROM STDIN.");
            _started.TrySetException(refusal);
            _ = _started.Task.Exception;
            _source.SetException(Target!.Reactor, refusal);
            return;
        }

        _source.SetResult(Target!.Reactor, _tag);
    }
}
