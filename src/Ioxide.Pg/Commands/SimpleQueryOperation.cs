using System.Threading.Tasks.Sources;

namespace Ioxide.Pg;

/// <summary>One message of the simple query protocol, run once, whose end gives one result.</summary>
internal abstract class SimpleQueryOperation<TResult>(byte[] sql) : AwaitedOperation, IValueTaskSource<TResult>
{
    private ReactorAwaitable<TResult> _source;

    internal override bool CanRepeat => false;

    internal override SessionEffect Effect { get; } = SessionScan.Of(sql);

    /// <summary>Runs it. Threads: any.</summary>
    internal ValueTask<TResult> RunAsync(CommandTarget target, CancellationToken cancellationToken = default)
    {
        _source.ResumesOnThreadPool = !target.Reactor.IsCurrent;
        var result = new ValueTask<TResult>(this, _source.Version);
        Submit(target, target.DataSource.Options.CommandTimeout, cancellationToken);
        return result;
    }

    TResult IValueTaskSource<TResult>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<TResult>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<TResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _source.OnCompleted(continuation, state, token, flags, keepsContext: _source.ResumesOnThreadPool);

    internal override void Write(ServerConnection connection) => MessageWriter.WriteQuery(connection.Output, sql);

    internal override void Release() => Stage = OperationStage.Ended;

    /// <summary>What it gives where the server reported no error.</summary>
    private protected abstract TResult Result { get; }

    /// <summary>Why it has no result though the server reported no error.</summary>
    private protected virtual Exception? Misuse => null;

    private protected sealed override void SetResult()
    {
        if ((Error ?? Misuse) is { } error)
        {
            _source.SetException(Target!.Reactor, error);
        }
        else
        {
            _source.SetResult(Target!.Reactor, Result);
        }
    }
}
