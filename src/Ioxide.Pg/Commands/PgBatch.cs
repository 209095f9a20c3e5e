namespace Ioxide.Pg;

/// <summary>Commands that are sent in one go with one Sync: one wake-up of the server, one answer, and one transaction.</summary>
/// <remarks>
/// <para>Commands are added by the methods of <see cref="PgQuery{TParameters}"/> that take a batch. Where one fails, those behind it are
/// not run, and outside a transaction those before it are undone; the exception tells which (<see cref="PgException.BatchIndex"/>).</para>
/// <para>An object can be used again after <see cref="Clear"/>; it then allocates nothing. Threads: any, one at a time.</para>
/// </remarks>
public sealed class PgBatch
{
    private readonly CommandTarget _target;
    private BatchOperation _operation = new();

    internal PgBatch(CommandTarget target) => _target = target;

    /// <summary>Commands in it.</summary>
    public int Count => _operation.Commands.Count;

    /// <summary>Sends the commands, and completes when all are answered.</summary>
    /// <exception cref="PgException">One failed.</exception>
    /// <exception cref="InvalidOperationException">It is running, or was cancelled and not cleared since.</exception>
    public ValueTask RunAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfRunning();
        if (_operation.State == BatchState.Abandoned)
        {
            throw new InvalidOperationException($"The batch was cancelled, and the server may still run it. {nameof(Clear)} it first.");
        }

        return Count == 0 ? default : _operation.RunAsync(_target, cancellationToken);
    }

    /// <summary>Takes all commands out. Their results can no longer be read.</summary>
    public void Clear()
    {
        ThrowIfRunning();
        if (_operation.State == BatchState.Abandoned)
        {
            // The connection goes on with it until the server is done; its commands are never used again.
            _operation = new BatchOperation();
        }
        else
        {
            _operation.Clear();
        }
    }

    internal PgPending<TResult> Add<TResult>(Command<TResult> command)
    {
        ThrowIfRunning();
        _operation.Commands.Add(command);
        return new PgPending<TResult>(command);
    }

    private void ThrowIfRunning()
    {
        if (_operation.State == BatchState.Running)
        {
            throw new InvalidOperationException("The batch is running. Await it first.");
        }
    }
}

/// <summary>Who is busy with the commands of a batch.</summary>
internal enum BatchState
{
    /// <summary>Nobody.</summary>
    Idle,

    /// <summary>The caller waits.</summary>
    Running,

    /// <summary>The caller waits no longer; the server is not known to be done.</summary>
    Abandoned,
}

/// <summary>The commands of a batch as one operation: events of the server go to the command whose turn it is.</summary>
internal sealed class BatchOperation : AwaitedOperation
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

    internal override bool RunsUserCode => _current < Commands.Count && Commands[_current].RunsUserCode;

    internal ValueTask RunAsync(CommandTarget target, CancellationToken cancellationToken)
    {
        Reset();
        State = BatchState.Running;
        _source.Reset();
        _source.IsFromElsewhere = !target.Reactor.IsCurrent;
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

    internal override bool MayHoldOpen(StatementTable statements) => Commands.Exists(command => command.MayHoldOpen(statements));

    internal override void Write(ServerConnection connection)
    {
        for (; _written < Commands.Count; _written++)
        {
            Command command = Commands[_written];
            command.Connection = connection;
            if (!command.TryWriteBody(connection))
            {
                // Those before it run meanwhile: it may read the table that one of them makes.
                connection.AwaitColumns(this);
                return;
            }
        }

        connection.WriteSync();
    }

    internal override void ParseCompleted() => Commands[_current].ParseCompleted();

    internal override void Described(ReadOnlySpan<byte> body) => Commands[_current].Described(body);

    internal override void DescribedEmpty() => Commands[_current].DescribedEmpty();

    internal override ResultColumns? Columns => Commands[_current].Columns;

    internal override void RowReceived(ReadOnlySpan<byte> body, RowLayout layout)
    {
        Command command = Commands[_current];
        command.IsAbandoned = IsAbandoned;
        command.RowReceived(body, layout);
    }

    internal override void RowSkipped(Exception error) => Commands[_current].RowSkipped(error);

    internal override void CommandCompleted(PgTag tag) => Commands[_current++].CommandCompleted(tag);

    internal override void ErrorReceived(PgException error)
    {
        error.BatchIndex = _current;
        base.ErrorReceived(error);
        Commands[_current].ErrorReceived(error);
        for (int i = _current + 1; i < Commands.Count; i++)
        {
            Commands[i].Skip(error);
        }
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (Error is PgException stale && Commands.Exists(static command => command.IsStale) && connection.TryRepeat(this, stale))
        {
            return false;
        }

        // What a row's reader threw is its command's error, and the batch's.
        if (Error is null && Commands.Find(static command => command.Error is not null) is { Error: { } error })
        {
            Fail(error);
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
        // The caller goes on inside, and may run the commands again: the object is his from here on, unless the server still has it.
        if (!HasCompleted)
        {
            State = IsAbandoned ? BatchState.Abandoned : BatchState.Idle;
            Stage = IsAbandoned ? Stage : OperationStage.Ended;
        }

        base.Complete();
    }

    internal override void Release()
    {
        if (State == BatchState.Abandoned)
        {
            Stage = OperationStage.Ended;
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
