using System.Buffers;
using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>A running <c>COPY ... FROM STDIN</c>: takes data for a table.</summary>
/// <remarks>
/// <para>For the text and CSV formats pass the bytes with <see cref="WriteAsync"/>. For the binary format begin each row with
/// <see cref="BeginRow"/> and write one value per column; call <see cref="FlushIfFullAsync"/> after each row.</para>
/// <para>No row is kept unless <see cref="CompleteAsync"/> succeeds. Threads: any, one at a time.</para>
/// </remarks>
public sealed class PgCopyIn : IAsyncDisposable
{
    private const int FlushBytes = 32 * 1024;

    private readonly PgSession _session;
    private readonly CopyInRoundTrip _roundTrip;
    private readonly ArrayBufferWriter<byte> _buffer = new(FlushBytes + 1024);
    private readonly Task<PgTag> _result;
    private bool _isOver;
    private int _missingValues;

    internal PgCopyIn(PgSession session, CopyInRoundTrip roundTrip, Task<PgTag> result, bool isBinary)
    {
        _session = session;
        _roundTrip = roundTrip;
        _result = result;
        IsBinary = isBinary;
        if (isBinary)
        {
            _buffer.Write(BinaryHeader);
        }
    }

    /// <summary>Signature, no flags, no extension. Source: PostgreSQL manual, COPY, Binary Format.</summary>
    private static ReadOnlySpan<byte> BinaryHeader =>
        [(byte)'P', (byte)'G', (byte)'C', (byte)'O', (byte)'P', (byte)'Y', (byte)'\n', 0xff, (byte)'\r', (byte)'\n', 0, 0, 0, 0, 0, 0, 0, 0, 0];

    /// <summary>Whether the command uses the binary format.</summary>
    public bool IsBinary { get; }

    /// <summary>Sends bytes unchanged. The server splits them into rows.</summary>
    /// <param name="data">The bytes. They may be reused when the await completes.</param>
    /// <param name="cancellationToken">Ends the whole copy; no row is kept.</param>
    /// <exception cref="PgException">The server refused the data so far.</exception>
    [ApplicationSide]
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> data, CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        while (!data.IsEmpty)
        {
            int count = Math.Min(data.Length, FlushBytes);
            _buffer.Write(data.Span[..count]);
            data = data[count..];
            await FlushIfFullAsync(cancellationToken).ConfigureAwait(true);
        }
    }

    /// <summary>Begins a row of the binary format.</summary>
    /// <param name="valueCount">The number of columns; that many values must follow.</param>
    public void BeginRow(int valueCount)
    {
        ThrowIfOver();
        if (!IsBinary)
        {
            throw new InvalidOperationException(
                $"The command is in text format. Write its bytes by {nameof(WriteAsync)}, or copy WITH (FORMAT binary).");
        }

        if (_missingValues > 0)
        {
            throw new InvalidOperationException($"{_missingValues} values are missing in the row before.");
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(valueCount);
        BinaryPrimitives.WriteInt16BigEndian(_buffer.GetSpan(sizeof(short)), checked((short)valueCount));
        _buffer.Advance(sizeof(short));
        _missingValues = valueCount;
    }

    /// <summary>Writes the next value of the row. Its type must be the column's: nothing is converted.</summary>
    public void Write<T>(T value)
    {
        PgCodec<T> codec = CodecFor<T>.Instance;
        RequirePlace();
        int length = codec.IsNull(value) ? -1 : codec.Measure(value);
        Span<byte> room = _buffer.GetSpan(sizeof(int) + Math.Max(0, length));
        BinaryPrimitives.WriteInt32BigEndian(room, length);
        if (length > 0)
        {
            codec.Write(value, room.Slice(sizeof(int), length));
        }

        _buffer.Advance(sizeof(int) + Math.Max(0, length));
        _missingValues--;
    }

    /// <summary>Writes the next value of the row: the UTF-8 of a text.</summary>
    public void WriteUtf8(ReadOnlySpan<byte> value)
    {
        RequirePlace();
        BinaryPrimitives.WriteInt32BigEndian(_buffer.GetSpan(sizeof(int)), value.Length);
        _buffer.Advance(sizeof(int));
        _buffer.Write(value);
        _missingValues--;
    }

    /// <summary>Writes NULL as the next value of the row.</summary>
    public void WriteNull()
    {
        RequirePlace();
        BinaryPrimitives.WriteInt32BigEndian(_buffer.GetSpan(sizeof(int)), -1);
        _buffer.Advance(sizeof(int));
        _missingValues--;
    }

    /// <summary>Sends the written data once enough has accumulated, and waits while the server is behind.</summary>
    /// <param name="cancellationToken">Ends the whole copy; no row is kept.</param>
    /// <exception cref="PgException">The server refused the data so far.</exception>
    public ValueTask FlushIfFullAsync(CancellationToken cancellationToken = default)
        => _buffer.WrittenCount >= FlushBytes ? FlushAsync(cancellationToken) : default;

    /// <summary>Sends the rest and completes the copy: all rows are kept.</summary>
    /// <param name="cancellationToken">Ends the whole copy. Whether the server has already kept the rows is not known.</param>
    /// <returns>The number of copied rows.</returns>
    /// <exception cref="PgException">The server refused the data; no row is kept.</exception>
    [ApplicationSide]
    public async ValueTask<long> CompleteAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfOver();
        if (_missingValues > 0)
        {
            throw new InvalidOperationException($"{_missingValues} values are missing in the last row.");
        }

        if (IsBinary)
        {
            BinaryPrimitives.WriteInt16BigEndian(_buffer.GetSpan(sizeof(short)), -1);
            _buffer.Advance(sizeof(short));
        }

        await FlushAsync(cancellationToken).ConfigureAwait(true);
        _isOver = true;
        using CancellationTokenRegistration registration = CancelBy(cancellationToken);
        await OnReactorAsync(_roundTrip.CompleteData).ConfigureAwait(true);
        return (await _result.ConfigureAwait(true)).RowsAffected;
    }

    /// <summary>Ends the copy without keeping a row, unless it was completed. Returns when the server confirms it.</summary>
    [ApplicationSide]
    public async ValueTask DisposeAsync()
    {
        if (!_isOver)
        {
            _isOver = true;
            await OnReactorAsync(_roundTrip.GiveUpData).ConfigureAwait(true);
        }

        // Its failure was thrown by a write or the completion, or it is the expected end of an abandoned copy.
        await ((Task)_result).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
    }

    private async ValueTask FlushAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_result.IsCompleted)
        {
            await _result.ConfigureAwait(true);
        }

        using CancellationTokenRegistration registration = CancelBy(cancellationToken);
        if (_session.Pool.Reactor.IsCurrent)
        {
            await SendAsync().ConfigureAwait(true);
        }
        else
        {
            await ReactorWork.OnReactorAsync(
                _session.Pool.Reactor,
                async () =>
                {
                    await SendAsync().ConfigureAwait(true);
                    return true;
                }).ConfigureAwait(true);
        }

        cancellationToken.ThrowIfCancellationRequested();
    }

    private ValueTask SendAsync()
    {
        using ContextScope scope = _session.Pool.Reactor.EnterRuntime();
        ValueTask room = _roundTrip.SendAsync(_buffer.WrittenSpan);
        _buffer.ResetWrittenCount();
        return room;
    }

    /// <summary>A copy with a missing part is useless: the token ends all of it.</summary>
    private CancellationTokenRegistration CancelBy(CancellationToken cancellationToken) => cancellationToken.UnsafeRegister(
        static (state, token) =>
        {
            var copy = (PgCopyIn)state!;
            copy._session.Pool.Reactor.Enqueue(copy._roundTrip, roundTrip => roundTrip.Cancel(new OperationCanceledException(token)));
        },
        this);

    private async ValueTask OnReactorAsync(Action work)
    {
        if (_session.Pool.Reactor.IsCurrent)
        {
            using ContextScope scope = _session.Pool.Reactor.EnterRuntime();
            work();
            return;
        }

        await ReactorWork.OnReactorAsync(
            _session.Pool.Reactor,
            () =>
            {
                work();
                return Task.FromResult(true);
            }).ConfigureAwait(true);
    }

    private void RequirePlace()
    {
        if (_missingValues == 0)
        {
            throw new InvalidOperationException($"The row is full, or none was begun: {nameof(BeginRow)} begins one.");
        }
    }

    private void ThrowIfOver()
    {
        if (_isOver)
        {
            throw new InvalidOperationException("The copy is over.");
        }
    }
}
