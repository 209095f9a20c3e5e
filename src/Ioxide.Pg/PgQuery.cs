using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>A statement with its values, not yet sent. The method that is called decides how the rows are returned.</summary>
/// <typeparam name="TParameters">The type of the values.</typeparam>
/// <remarks>Each method call sends a command of its own. Each result must be awaited exactly once.</remarks>
public readonly struct PgQuery<TParameters>
    where TParameters : struct, IPgParameters
{
    private readonly CommandTarget _target;
    private readonly PgStatement _statement;
    private readonly TParameters _parameters;
    private readonly TimeSpan _timeout;

    internal PgQuery(CommandTarget target, PgStatement statement, in TParameters parameters)
        : this(target, statement, parameters, target.DataSource.Options.CommandTimeout)
    {
    }

    private PgQuery(CommandTarget target, PgStatement statement, in TParameters parameters, TimeSpan timeout)
    {
        ArgumentNullException.ThrowIfNull(statement);
        if (statement.ParameterCount >= 0 && statement.ParameterCount != parameters.Count)
        {
            throw new ArgumentException(
                $"The statement has {statement.ParameterCount} parameters and got {parameters.Count} values.", nameof(statement));
        }

        _target = target;
        _statement = statement;
        _parameters = parameters;
        _timeout = timeout;
    }

    /// <summary>
    /// Returns the query with another time limit. It counts from when the server can begin with the command; for rows or JSON as a stream it limits
    /// each wait for the server. Zero means no limit.
    /// </summary>
    public PgQuery<TParameters> WithTimeout(TimeSpan timeout) => new(_target, _statement, _parameters, timeout);

    /// <summary>Returns the first column of the first row.</summary>
    /// <exception cref="PgNoRowException">There is no row.</exception>
    /// <exception cref="PgTypeException">The column is of another type, or is NULL and <typeparamref name="T"/> cannot be null.</exception>
    public ValueTask<T> ScalarAsync<T>(CancellationToken cancellationToken = default)
        => Rent<ScalarSink<T>, T>(new(isRequired: true)).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Returns the first column of the first row, or the default value if there is no row or the column is NULL.</summary>
    public ValueTask<T?> ScalarOrDefaultAsync<T>(CancellationToken cancellationToken = default)
        => Rent<ScalarSink<T?>, T?>(new(isRequired: false)).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Returns the first row.</summary>
    /// <param name="reader">Converts the row. It must not keep the row.</param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    /// <exception cref="PgNoRowException">There is no row.</exception>
    public ValueTask<T> FirstAsync<T>(PgRowReader<T> reader, CancellationToken cancellationToken = default)
        => Rent<FirstSink<T>, T>(new(reader, isRequired: true)).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Returns the first row, or the default value.</summary>
    /// <inheritdoc cref="FirstAsync"/>
    public ValueTask<T?> FirstOrDefaultAsync<T>(PgRowReader<T?> reader, CancellationToken cancellationToken = default)
        => Rent<FirstSink<T?>, T?>(new(reader, isRequired: false)).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Returns all rows in a list.</summary>
    /// <inheritdoc cref="FirstAsync"/>
    public ValueTask<List<T>> ListAsync<T>(PgRowReader<T> reader, CancellationToken cancellationToken = default)
        => ListAsync(reader, [], cancellationToken);

    /// <summary>Appends all rows to the caller's list.</summary>
    /// <param name="reader">Converts each row.</param>
    /// <param name="list">Must not be used until the await completes.</param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    public ValueTask<List<T>> ListAsync<T>(PgRowReader<T> reader, List<T> list, CancellationToken cancellationToken = default)
        => Rent<ListSink<T>, List<T>>(new(reader, list)).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Calls <paramref name="action"/> for each row as it arrives. Allocates nothing.</summary>
    /// <param name="action">
    /// Runs on the reactor, or on the thread pool while a handler blocks that reactor. While it waits, its connection takes no other commands.
    /// An exception fails only this command.
    /// </param>
    /// <param name="state">Passed to <paramref name="action"/>.</param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    public ValueTask<PgTag> ForEachAsync<TState>(PgRowAction<TState> action, TState state, CancellationToken cancellationToken = default)
        => Rent<ForEachSink<TState>, PgTag>(new(action, state)).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Runs the command and drops its rows.</summary>
    /// <returns>The command's name and the number of rows that it changed.</returns>
    public ValueTask<PgTag> ExecuteAsync(CancellationToken cancellationToken = default)
        => Rent<TagSink, PgTag>(default).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Writes the rows as a JSON array of objects, straight from the receive buffer.</summary>
    /// <param name="writer">
    /// Receives the text. Must not be used until the await completes. After an error it holds part of an array.
    /// </param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    /// <exception cref="PgResultTooLargeException">The result exceeds <see cref="PgDataSourceOptions.MaxBufferedResultBytes"/>.</exception>
    public ValueTask<PgTag> WriteJsonAsync(IBufferWriter<byte> writer, CancellationToken cancellationToken = default)
        => Rent<JsonArraySink, PgTag>(new(writer, _target.DataSource.Options.MaxBufferedResultBytes)).RunAsync(_target, _timeout, cancellationToken);

    /// <summary>Writes the rows as a JSON array of objects into a pipe, with back-pressure: any number of rows in bounded memory.</summary>
    /// <param name="writer">Flushed as it fills, and at the end. A slow reader slows the server.</param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    /// <remarks>Takes a connection for exclusive use until it completes.</remarks>
    [ApplicationSide]
    public async ValueTask<PgTag> StreamJsonAsync(PipeWriter writer, CancellationToken cancellationToken = default)
    {
        await using ExclusiveUse use = await ExclusiveUse.BeginAsync(_target, cancellationToken).ConfigureAwait(true);
        var stream = new JsonStream(writer);
        PgTag tag = await Stream(stream, use.Target, cancellationToken, out _).ConfigureAwait(true);
        stream.Finish();
        await writer.FlushAsync(cancellationToken).ConfigureAwait(true);
        return tag;
    }

    /// <summary>Reads the rows batch by batch from the receive buffer, at the reader's pace.</summary>
    /// <param name="fetchSize">Rows that the server sends per request; 0: all, and TCP slows it down.</param>
    /// <param name="cancellationToken">Stops waiting; a running command is cancelled on the server.</param>
    /// <remarks>Takes a connection for exclusive use until the rows are disposed.</remarks>
    [ApplicationSide]
    public async ValueTask<PgRows> RowsAsync(int fetchSize = 0, CancellationToken cancellationToken = default)
    {
        ExclusiveUse use = await ExclusiveUse.BeginAsync(_target, cancellationToken).ConfigureAwait(true);
        try
        {
            var rows = new LentRows(use, fetchSize);
            ValueTask<PgTag> result = Stream(rows.Target, use.Target, cancellationToken, out Command command);
            rows.Start(command, result);
            return new RowsHandle(rows);
        }
        catch
        {
            await use.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }

    /// <summary>Adds the query to a batch; its result is the first column of the first row.</summary>
    public PgPending<T> Scalar<T>(PgBatch batch) => Add<ScalarSink<T>, T>(batch, new ScalarSink<T>(isRequired: true));

    /// <summary>Adds the query to a batch; its result is the first column of the first row, or the default value.</summary>
    public PgPending<T?> ScalarOrDefault<T>(PgBatch batch) => Add<ScalarSink<T?>, T?>(batch, new ScalarSink<T?>(isRequired: false));

    /// <summary>Adds the query to a batch; its result is the first row.</summary>
    public PgPending<T> First<T>(PgBatch batch, PgRowReader<T> reader)
        => Add<FirstSink<T>, T>(batch, new FirstSink<T>(reader, isRequired: true));

    /// <summary>Adds the query to a batch; its result is the first row, or the default value.</summary>
    public PgPending<T?> FirstOrDefault<T>(PgBatch batch, PgRowReader<T?> reader)
        => Add<FirstSink<T?>, T?>(batch, new FirstSink<T?>(reader, isRequired: false));

    /// <summary>Adds the query to a batch; its result is a list of all rows.</summary>
    public PgPending<List<T>> List<T>(PgBatch batch, PgRowReader<T> reader)
        => Add<ListSink<T>, List<T>>(batch, new ListSink<T>(reader, []));

    /// <summary>Adds the query to a batch, with a callback for each row.</summary>
    public PgPending<PgTag> ForEach<TState>(PgBatch batch, PgRowAction<TState> action, TState state)
        => Add<ForEachSink<TState>, PgTag>(batch, new ForEachSink<TState>(action, state));

    /// <summary>Adds the query to a batch, and drops its rows.</summary>
    public PgPending<PgTag> Execute(PgBatch batch) => Add<TagSink, PgTag>(batch, default);

    private PgPending<TResult> Add<TSink, TResult>(PgBatch batch, in TSink sink)
        where TSink : struct, IRowSink<TResult>
    {
        ArgumentNullException.ThrowIfNull(batch);
        return batch.Add(Rent<TSink, TResult>(sink));
    }

    private ValueTask<PgTag> Stream(RowStream stream, CommandTarget target, CancellationToken cancellationToken, out Command started)
    {
        Command<TParameters, StreamSink, PgTag> command = Rent<StreamSink, PgTag>(new(stream));
        command.Stream = stream;
        started = command;
        return command.RunAsync(target, _timeout, cancellationToken);
    }

    private Command<TParameters, TSink, TResult> Rent<TSink, TResult>(in TSink sink)
        where TSink : struct, IRowSink<TResult>
        => Command<TParameters, TSink, TResult>.Rent(_statement, _parameters, sink);
}
