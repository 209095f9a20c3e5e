namespace Ioxide.Pg;

/// <summary>One message of the simple query protocol, run once, with one result at its end.</summary>
internal abstract class SimpleQueryOperation<TResult>(byte[] sql) : AwaitedOperation
{
    private readonly ReactorAwaitable<TResult> _source = new();

    internal override bool CanRepeat => false;

    internal override SessionEffect Effect { get; } = SessionScan.Of(sql);

    /// <summary>Runs it. Threads: any.</summary>
    internal ValueTask<TResult> RunAsync(CommandTarget target, CancellationToken cancellationToken = default)
    {
        _source.StartedOffReactor = !target.Reactor.IsCurrent;
        ValueTask<TResult> result = _source.Task;
        Submit(target, target.DataSource.Options.CommandTimeout, cancellationToken);
        return result;
    }

    internal override FlightEnd Write(ServerConnection connection)
    {
        MessageWriter.WriteQuery(connection.Output, sql);
        return FlightEnd.Query;
    }

    internal override void Release() => Stage = OperationStage.Ended;

    /// <summary>The result if the server reported no error.</summary>
    private protected abstract TResult Result { get; }

    /// <summary>Why there is no result although the server reported no error.</summary>
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
