namespace Ioxide.Pg;

/// <summary>The result of a command in a batch, available when the batch has run.</summary>
public readonly struct PgPending<T>
{
    private readonly Command<T> _command;
    private readonly long _version;

    internal PgPending(Command<T> command)
    {
        _command = command;
        _version = command.Version;
    }

    /// <summary>The result.</summary>
    /// <exception cref="PgException">The command failed.</exception>
    /// <exception cref="InvalidOperationException">The batch has not run, was cleared, or ended before this command.</exception>
    public T Result => _command.Version == _version
        ? _command.TakeResult()
        : throw new InvalidOperationException("The batch was cleared; the result is gone.");
}
