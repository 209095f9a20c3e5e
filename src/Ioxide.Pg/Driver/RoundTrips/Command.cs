namespace Ioxide.Pg;

/// <summary>One execution of one statement: its messages, its rows, and the result that its caller awaits.</summary>
/// <remarks>
/// The object is pooled: it returns when its caller has taken the result and the protocol has finished with it. Threads: the reactor's,
/// except for the answer, which belongs to the awaiting caller.
/// </remarks>
internal abstract class Command : ReusedRoundTrip
{
    /// <summary>Receives the rows at its own pace; or null.</summary>
    internal RowStream? Stream { get; set; }

    internal override LentRows? Lent => LentRows.Of(Stream);

    internal override ValueTask ReceivedAsync() => Stream?.ReceivedAsync() ?? default;

    internal override bool EndsWithSession => Stream is JsonStream;

    internal override bool LimitsEachWait => Stream is not null;

    internal override bool TryEndByItself()
    {
        Stream?.Stop();
        return false;
    }

    internal override bool HasUndeliveredRows => Lent is { IsLent: true };

    internal override void DeliverRows() => Lent?.ResumeReader();

    internal abstract PgStatement? Statement { get; }

    /// <summary>The outcome of the command.</summary>
    private protected PgTag Tag { get; set; }

    /// <summary>Its statement needs another Parse.</summary>
    internal abstract bool IsStale { get; }

    /// <summary>A batch failed before it came to this command.</summary>
    internal abstract void Skip(Exception cause);

    /// <summary>A batch is about to run it, perhaps not for the first time.</summary>
    internal abstract void PrepareForBatch();

    /// <summary>The batch releases it.</summary>
    internal void LeaveBatch() => Recycle();

    internal override SessionEffect Effect => Statement!.Effect;

    internal override bool MayTakeLong => base.MayTakeLong || Statement!.IsSlow;

    internal override byte[]? BeginText => Tag.IsBegin ? Statement!.Sql : null;

    internal override void Took(long milliseconds)
    {
        // Written only when it changes, because other reactors read it too.
        bool isSlow = milliseconds >= CommandPipeline.LongCommandMs;
        if (Statement is { } statement && statement.IsSlow != isSlow)
        {
            statement.IsSlow = isSlow;
        }
    }

    internal override bool MayHoldOpen(StatementTable statements) => Stream is { FetchSize: > 0 } || !statements.Knows(Statement!);

    private protected override string Name => Statement?.FirstWord ?? "";

    private protected override void Ending() => Stream?.Ended(Tag, Error);

    private protected override void Recycle()
    {
        base.Recycle();
        Stream = null;
        Tag = default;
        Reset();
    }
}

/// <summary>A command with a result.</summary>
internal abstract class Command<TResult> : Command
{
    /// <summary>The result, for its batch.</summary>
    internal abstract TResult TakeResult();
}

/// <inheritdoc cref="Command"/>
/// <typeparam name="TParameters">Writes the values.</typeparam>
/// <typeparam name="TSink">Receives the rows.</typeparam>
/// <typeparam name="TResult">The type that the caller awaits.</typeparam>
internal sealed class Command<TParameters, TSink, TResult> : Command<TResult>
    where TParameters : struct, IPgParameters
    where TSink : struct, IRowSink<TResult>
{
    private const int MaxPooled = 256;

    [ThreadStatic]
    private static Stack<Command<TParameters, TSink, TResult>>? s_pool;

    private readonly Answer _source;
    private PgStatement _statement = null!; // Set by every start.
    private TParameters _parameters;
    private TSink _sink;
    private PreparedStatement? _prepared;
    private bool _isAnswered;
    private bool _isAwaited;

    private Command() => _source = new Answer(this);

    internal override PgStatement Statement => _statement;

    internal override bool RunsUserCode => _sink.RunsUserCode;

    // A command does not know which rows its batch passed on: there only the sink decides.
    internal override bool CanRepeat => _sink.CanRestart || (_isAwaited && !HasGivenRows);

    internal override bool IsUndoneByItsError => _statement.IsUndoneByItsError;

    internal static Command<TParameters, TSink, TResult> Rent(PgStatement statement, in TParameters parameters, in TSink sink)
    {
        Command<TParameters, TSink, TResult> command =
            s_pool is { } pool && pool.TryPop(out Command<TParameters, TSink, TResult>? pooled) ? pooled : new();
        command._statement = statement.ForTypes(parameters.TypeKey);
        command._parameters = parameters;
        command._sink = sink;
        return command;
    }

    internal ValueTask<TResult> RunAsync(CommandTarget target, TimeSpan timeout, CancellationToken cancellationToken)
    {
        // A caller on this reactor continues inside the completion; any other in its own context or on the thread pool.
        _source.StartedOffReactor = !target.Reactor.IsCurrent;
        _isAwaited = true;
        ValueTask<TResult> result = _source.Task;
        Submit(target, timeout, cancellationToken);
        return result;
    }

    internal override TResult TakeResult()
        => Error is { } error ? throw error
            : _isAnswered ? _sink.Finish(Tag)
            : throw new InvalidOperationException("The batch has not run this command.");

    internal override bool IsStale => _prepared is { IsStale: true };

    internal override void Skip(Exception cause)
    {
        if (_isAnswered)
        {
            return;
        }

        Fail(cause);
        if (_prepared is { IsParsed: false } prepared)
        {
            Connection?.Statements.Forget(prepared);
        }
    }

    internal override void PrepareForBatch()
    {
        ClearError();
        _sink.Restart();
        _isAnswered = false;
        _prepared = null;
    }

    /// <summary>
    /// Writes Bind and Execute, and Parse before them if the connection lacks the statement; then only Parse and Describe, because Bind names the
    /// formats of the columns.
    /// </summary>
    internal override FlightEnd Write(ServerConnection connection)
    {
        if (_prepared is null)
        {
            _prepared = connection.Statements.Use(_statement, out bool isNew);
            if (isNew)
            {
                MessageWriter.WriteParseAndDescribe(connection.Output, _prepared, in _parameters);
            }
        }

        if (_prepared.Columns is null)
        {
            return FlightEnd.Columns;
        }

        int fetchSize = Stream?.FetchSize ?? 0;
        MessageWriter.WriteBindAndExecute(connection.Output, _prepared, in _parameters, fetchSize);
        return fetchSize > 0 ? FlightEnd.Portal : FlightEnd.Sync;
    }

    internal override void ParseCompleted() => _prepared?.Parsed();

    internal override void Described(ReadOnlySpan<byte> body)
    {
        if (Connection!.Statements.Described(_prepared!, body) is { } unreadable)
        {
            Fail(unreadable);
        }
    }

    internal override void DescribedEmpty() => Connection!.Statements.DescribedEmpty(_prepared!);

    internal override void RowReceived(ReadOnlySpan<byte> body, RowLayout layout)
    {
        ResultColumns columns = _prepared?.Columns ?? throw PgProtocolException.RowWithoutDescription();
        layout.Read(body, columns.Count);
        if (Error is not null || IsAbandoned)
        {
            return;
        }

        HasGivenRows = true;
        try
        {
            _sink.Take(new PgRow(body, layout.Offsets, columns));
        }
        catch (Exception exception)
        {
            // The reader belongs to the caller: its exception fails only this command.
            Fail(exception);
        }
    }

    internal override ResultColumns? Columns => _prepared?.Columns;

    internal override void CommandCompleted(PgTag tag)
    {
        Tag = tag;
        _isAnswered = true;
        Connection!.Pipeline.EndFlight(this);
    }

    internal override void PortalSuspended()
    {
        if (IsAbandoned || Error is not null)
        {
            Connection!.Pipeline.EndFlight(this);
            return;
        }

        if (Stream is not { FetchSize: > 0 } stream)
        {
            throw new PgProtocolException("The server stopped in the middle of rows that were asked for as a whole.");
        }

        MessageWriter.WriteExecute(Connection!.Output, stream.FetchSize);
        MessageWriter.WriteFlush(Connection.Output);
        Connection.Flush.Schedule();
    }

    internal override void ErrorReceived(PgException error)
    {
        base.ErrorReceived(error);
        if (_prepared is { } prepared)
        {
            Connection!.Statements.Failed(prepared, error);
        }
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (_prepared is { IsStale: true } && Error is PgException error && connection.Repeats.TryRepeat(this, error))
        {
            return false;
        }

        if (!_isAnswered && !IsAbandoned)
        {
            // Unless it failed before. A missing answer is not a success.
            Fail(new PgProtocolException("The server did not say what became of the command."));
        }

        return true;
    }

    internal override void Restart()
    {
        base.Restart();
        _sink.Restart();
        _isAnswered = false;
        _prepared = null;
    }

    private protected override void SetResult()
    {
        if (_sink.RunsUserCode && Target!.Reactor.IsBlocked)
        {
            // The object stays this command's until its caller has the result.
            ThreadPool.UnsafeQueueUserWorkItem(static command => command.Tell(), this, preferLocal: false);
            return;
        }

        Tell();
    }

    private void Tell()
    {
        Reactor reactor = Target!.Reactor;
        if (Error is { } error)
        {
            _source.SetException(reactor, error);
            return;
        }

        TResult result;
        try
        {
            result = Finish(reactor);
        }
        catch (Exception exception)
        {
            _source.SetException(reactor, exception);
            return;
        }

        _source.SetResult(reactor, result);
    }

    private TResult Finish(Reactor reactor)
    {
        using ContextScope scope = _sink.RunsUserCode ? reactor.EnterApplication() : default;
        return _sink.Finish(Tag);
    }

    private protected override void Recycle()
    {
        base.Recycle();
        _source.Reset();
        _statement = null!; // Set by the next start.
        _parameters = default;
        _sink = default;
        _prepared = null;
        _isAnswered = false;
        _isAwaited = false;
        Stack<Command<TParameters, TSink, TResult>> pool = s_pool ??= new();
        if (pool.Count < MaxPooled)
        {
            pool.Push(this);
        }
    }

    /// <summary>The caller's await. Returning the result also returns the command to its pool.</summary>
    private sealed class Answer(Command<TParameters, TSink, TResult> command) : ReactorAwaitable<TResult>
    {
        public override TResult GetResult(short token)
        {
            try
            {
                return base.GetResult(token);
            }
            finally
            {
                command.CallerDone();
            }
        }
    }
}
