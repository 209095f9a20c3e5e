namespace Ioxide.Pg;

/// <summary>The state of a batch.</summary>
internal enum BatchState
{
    /// <summary>Not running.</summary>
    Idle,

    /// <summary>The caller waits.</summary>
    Running,

    /// <summary>The caller has stopped waiting; the server may not have finished.</summary>
    Abandoned,
}

/// <summary>The commands of a batch as one round trip: the server's messages go to the current command.</summary>
internal sealed class BatchRoundTrip : AwaitedRoundTrip
{
    private readonly ReactorAwaitable<bool> _source = new();
    private int _written;
    private int _current;
    private bool _canRepeat;
    private bool _mayTakeLong;
    private SessionEffect _effect;

    internal List<Command> Commands { get; } = [];

    internal BatchState State { get; private set; }

    internal override bool CanRepeat => _canRepeat;

    internal override bool IsUndoneByItsError => Commands.TrueForAll(static command => command.IsUndoneByItsError);

    internal override SessionEffect Effect => _effect;

    internal override bool MayTakeLong => _mayTakeLong;

    internal override bool RunsUserCode => Current is { RunsUserCode: true };

    internal override ResultColumns? Columns => Current?.Columns;

    /// <summary>The command that the server answers; null behind the last, where only the commit is left.</summary>
    private Command? Current => _current < Commands.Count ? Commands[_current] : null;

    /// <summary>The command that a message of the server belongs to.</summary>
    private Command Answered => Current ?? throw new PgProtocolException("The server answered more commands than the batch has.");

    internal ValueTask RunAsync(CommandTarget target, CancellationToken cancellationToken)
    {
        Reset();
        State = BatchState.Running;
        _source.Reset();
        _source.StartedOffReactor = !target.Reactor.IsCurrent;
        _written = 0;
        _current = 0;
        _canRepeat = true;
        _mayTakeLong = false;
        _effect = SessionEffect.None;
        foreach (Command command in Commands)
        {
            _canRepeat &= command.CanRepeat;
            _mayTakeLong |= command.MayTakeLong;
            _effect |= command.Effect;
            command.PrepareForBatch();
        }

        ValueTask result = _source.TaskWithoutResult;
        Submit(target, target.DataSource.Options.CommandTimeout, cancellationToken);
        return result;
    }

    internal void Clear()
    {
        foreach (Command command in Commands)
        {
            command.LeaveBatch();
        }

        Commands.Clear();
    }

    internal override bool HasWrittenCommands => _written > 0;

    internal override bool MayHoldOpen(StatementTable statements) => Commands.Exists(command => command.MayHoldOpen(statements));

    internal override FlightEnd Write(ServerConnection connection)
    {
        for (; _written < Commands.Count; _written++)
        {
            Command command = Commands[_written];
            command.Connection = connection;
            if (command.Write(connection) == FlightEnd.Columns)
            {
                // Earlier commands run meanwhile: one of them may create a table that this one reads.
                return FlightEnd.Columns;
            }
        }

        return FlightEnd.Sync;
    }

    internal override void ParseCompleted() => Answered.ParseCompleted();

    internal override void Described(ReadOnlySpan<byte> body) => Answered.Described(body);

    internal override void DescribedEmpty() => Answered.DescribedEmpty();

    internal override void RowReceived(ReadOnlySpan<byte> body, RowLayout layout)
    {
        Command command = Answered;
        command.IsAbandoned = IsAbandoned;
        command.RowReceived(body, layout);
    }

    internal override void RowSkipped(Exception error) => Answered.RowSkipped(error);

    internal override void PortalSuspended() => Answered.PortalSuspended();

    internal override void CommandCompleted(PgTag tag)
    {
        Answered.CommandCompleted(tag);
        _current++;
    }

    internal override void ErrorReceived(PgException error)
    {
        base.ErrorReceived(error);
        if (Current is not { } failed)
        {
            // All commands have run, and the Sync could not commit them: a deferred constraint, or a serialization failure.
            return;
        }

        error.BatchIndex = _current;
        failed.Fail(Error!); // The first cause, at the latest this one.
        failed.ErrorReceived(error);
        for (int i = _current + 1; i < Commands.Count; i++)
        {
            Commands[i].Skip(Error!);
        }
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (Error is PgException stale && Commands.Exists(static command => command.IsStale) && connection.Repeats.TryRepeat(this, stale))
        {
            return false;
        }

        // An exception of a row reader fails its command and the batch.
        if (Error is null && Commands.Find(static command => command.Error is not null) is { Error: { } error })
        {
            Fail(error);
        }

        if (Current is not null && !IsAbandoned)
        {
            // Unless it failed before. A missing answer is not a success.
            Fail(new PgProtocolException("The server did not say what became of every command of the batch."));
        }

        return true;
    }

    internal override void Restart()
    {
        base.Restart();
        _written = 0;
        _current = 0;
        Commands.ForEach(static command => command.Restart());
    }

    internal override void Complete()
    {
        // The caller continues inside, and may run the batch again: it owns the object now, unless the server still uses it.
        if (!HasCompleted)
        {
            State = IsAbandoned ? BatchState.Abandoned : BatchState.Idle;
            Stage = IsAbandoned ? Stage : RoundTripStage.Ended;
        }

        base.Complete();
    }

    internal override void Release()
    {
        if (State == BatchState.Abandoned)
        {
            Stage = RoundTripStage.Ended;
        }
    }

    private protected override string Name => "BATCH";

    private protected override void SetResult()
    {
        if (Error is { } error)
        {
            foreach (Command command in Commands)
            {
                command.Skip(error);
            }

            _source.SetException(Target!.Reactor, error);
        }
        else
        {
            _source.SetResult(Target!.Reactor, true);
        }
    }
}
