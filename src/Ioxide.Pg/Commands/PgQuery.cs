using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>One use of a statement with its values, not sent yet. Choose a method by what the rows are to become.</summary>
/// <typeparam name="TParameters">The values.</typeparam>
/// <remarks>A method may be called once or often; each call is a command of its own. The result must be awaited once.</remarks>
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
            throw new ArgumentException($"The statement has {statement.ParameterCount} parameters and got {parameters.Count} values.", nameof(statement));
        }

        _target = target;
        _statement = statement;
        _parameters = parameters;
        _timeout = timeout;
    }

    /// <summary>The same with another time limit, counted from when the server can begin with it. Zero is without limit.</summary>
    public PgQuery<TParameters> WithTimeout(TimeSpan timeout) => new(_target, _statement, _parameters, timeout);

    /// <summary>The first column of the first row.</summary>
    /// <exception cref="PgNoRowException">There is no row.</exception>
    /// <exception cref="PgTypeException">The column is of another type, or NULL and <typeparamref name="T"/> cannot be.</exception>
    public ValueTask<T> ScalarAsync<T>(CancellationToken cancellationToken = default)
        => Run<ScalarSink<T>, T>(new ScalarSink<T>(isRequired: true), cancellationToken);

    /// <summary>The first column of the first row; the default value where there is no row or it is NULL.</summary>
    public ValueTask<T?> ScalarOrDefaultAsync<T>(CancellationToken cancellationToken = default)
        => Run<ScalarSink<T?>, T?>(new ScalarSink<T?>(isRequired: false), cancellationToken);

    /// <summary>The first row.</summary>
    /// <param name="reader">Makes an object of the row. It must not keep the row.</param>
    /// <param name="cancellationToken">Gives up; a command that runs is cancelled on the server.</param>
    /// <exception cref="PgNoRowException">There is no row.</exception>
    public ValueTask<T> FirstAsync<T>(PgRowReader<T> reader, CancellationToken cancellationToken = default)
        => Run<FirstSink<T>, T>(new FirstSink<T>(reader, isRequired: true), cancellationToken);

    /// <summary>The first row, or the default value.</summary>
    /// <inheritdoc cref="FirstAsync"/>
    public ValueTask<T?> FirstOrDefaultAsync<T>(PgRowReader<T?> reader, CancellationToken cancellationToken = default)
        => Run<FirstSink<T?>, T?>(new FirstSink<T?>(reader, isRequired: false), cancellationToken);

    /// <summary>Every row, in a list.</summary>
    /// <inheritdoc cref="FirstAsync"/>
    public ValueTask<List<T>> ListAsync<T>(PgRowReader<T> reader, CancellationToken cancellationToken = default)
        => ListAsync(reader, [], cancellationToken);

    /// <summary>Every row, added to a list of the caller's.</summary>
    /// <param name="reader">Makes an object of each row.</param>
    /// <param name="list">Must not be touched until the await is over.</param>
    /// <param name="cancellationToken">Gives up; a command that runs is cancelled on the server.</param>
    public ValueTask<List<T>> ListAsync<T>(PgRowReader<T> reader, List<T> list, CancellationToken cancellationToken = default)
        => Run<ListSink<T>, List<T>>(new ListSink<T>(reader, list), cancellationToken);

    /// <summary>Calls back for each row, as it is received. Allocates nothing.</summary>
    /// <param name="action">
    /// Runs on the reactor, or on the thread pool while a handler blocks that. While it waits its connection takes no other commands. What
    /// it throws ends this command alone.
    /// </param>
    /// <param name="state">Handed to it.</param>
    /// <param name="cancellationToken">Gives up; a command that runs is cancelled on the server.</param>
    public ValueTask<PgTag> ForEachAsync<TState>(PgRowAction<TState> action, TState state, CancellationToken cancellationToken = default)
        => Run<ForEachSink<TState>, PgTag>(new ForEachSink<TState>(action, state), cancellationToken);

    /// <summary>Runs it and drops its rows.</summary>
    /// <returns>The command's name, and how many rows it changed.</returns>
    public ValueTask<PgTag> ExecuteAsync(CancellationToken cancellationToken = default)
        => Run<TagSink, PgTag>(default, cancellationToken);

    /// <summary>Writes the rows as a JSON array of objects, straight from the receive buffer.</summary>
    /// <param name="writer">
    /// Takes the text; must not be touched until the await is over. After an error it holds a part of an array.
    /// </param>
    /// <param name="cancellationToken">Gives up; a command that runs is cancelled on the server.</param>
    /// <exception cref="PgResultTooLargeException">More than <see cref="PgDataSourceOptions.MaxBufferedResultBytes"/> were received.</exception>
    public ValueTask<PgTag> WriteJsonAsync(IBufferWriter<byte> writer, CancellationToken cancellationToken = default)
        => Run<JsonArraySink, PgTag>(new JsonArraySink(writer, _target.DataSource.Options.MaxBufferedResultBytes), cancellationToken);

    /// <summary>Writes the rows as a JSON array of objects into a pipe, with back-pressure: of any length, in bounded memory.</summary>
    /// <param name="writer">Flushed as it fills, and at the end. A reader that is slow slows the server.</param>
    /// <param name="cancellationToken">Gives up; a command that runs is cancelled on the server.</param>
    /// <remarks>Takes a connection for itself while it lasts.</remarks>
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
    /// <param name="fetchSize">Rows that the server makes before it is asked for more; 0: all, and TCP slows it down.</param>
    /// <param name="cancellationToken">Gives up; a command that runs is cancelled on the server.</param>
    /// <remarks>Takes a connection for itself until the rows are disposed.</remarks>
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

    /// <summary>Adds it to a batch: the first column of the first row.</summary>
    public PgPending<T> Scalar<T>(PgBatch batch) => Add<ScalarSink<T>, T>(batch, new ScalarSink<T>(isRequired: true));

    /// <summary>Adds it to a batch: the first column of the first row, or the default value.</summary>
    public PgPending<T?> ScalarOrDefault<T>(PgBatch batch) => Add<ScalarSink<T?>, T?>(batch, new ScalarSink<T?>(isRequired: false));

    /// <summary>Adds it to a batch: the first row.</summary>
    public PgPending<T> First<T>(PgBatch batch, PgRowReader<T> reader)
        => Add<FirstSink<T>, T>(batch, new FirstSink<T>(reader, isRequired: true));

    /// <summary>Adds it to a batch: the first row, or the default value.</summary>
    public PgPending<T?> FirstOrDefault<T>(PgBatch batch, PgRowReader<T?> reader)
        => Add<FirstSink<T?>, T?>(batch, new FirstSink<T?>(reader, isRequired: false));

    /// <summary>Adds it to a batch: every row.</summary>
    public PgPending<List<T>> List<T>(PgBatch batch, PgRowReader<T> reader)
        => Add<ListSink<T>, List<T>>(batch, new ListSink<T>(reader, []));

    /// <summary>Adds it to a batch: a callback for each row.</summary>
    public PgPending<PgTag> ForEach<TState>(PgBatch batch, PgRowAction<TState> action, TState state)
        => Add<ForEachSink<TState>, PgTag>(batch, new ForEachSink<TState>(action, state));

    /// <summary>Adds it to a batch: its rows are dropped.</summary>
    public PgPending<PgTag> Execute(PgBatch batch) => Add<TagSink, PgTag>(batch, default);

    private PgPending<TResult> Add<TSink, TResult>(PgBatch batch, in TSink sink)
        where TSink : struct, IRowSink<TResult>
    {
        ArgumentNullException.ThrowIfNull(batch);
        return batch.Add(Command<TParameters, TSink, TResult>.Rent(_statement, _parameters, sink));
    }

    private ValueTask<PgTag> Stream(RowStream stream, CommandTarget target, CancellationToken cancellationToken, out Command started)
    {
        var command = Command<TParameters, StreamSink, PgTag>.Rent(_statement, _parameters, new StreamSink(stream));
        command.Stream = stream;
        started = command;
        return command.RunAsync(target, _timeout, cancellationToken);
    }

    private ValueTask<TResult> Run<TSink, TResult>(in TSink sink, CancellationToken cancellationToken)
        where TSink : struct, IRowSink<TResult>
        => Command<TParameters, TSink, TResult>.Rent(_statement, _parameters, sink).RunAsync(_target, _timeout, cancellationToken);
}
