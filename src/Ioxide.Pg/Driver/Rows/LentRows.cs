using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Rows that are read where they were received. The connection waits while the reader has a batch.</summary>
/// <remarks>
/// States: receiving (the connection reads, the reader may wait), lent (the reader has a batch, or may request it; the connection waits),
/// ended. The reactor owns all of them; a reader on another thread posts. A batch outlives a broken connection: lent bytes are released
/// when the reader returns them.
/// </remarks>
internal sealed class LentRows
{
    // A method may still read the last row of a batch when it no longer references the rows' object.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(10);

    private readonly Stream _stream;
    private readonly ExclusiveUse _use;
    private readonly ReactorAwaitable<bool> _asked = new();
    private readonly ReactorAwaitable<bool> _returned = new();
    private ReadOnlySequence<byte> _received;
    private Command? _command;
    private bool _isAsking;
    private bool _isLent;
    private bool _isTaken;
    private bool _hasEnded;
    private bool _isDisposed;
    private Exception? _error;
    private PgTag _tag;

    internal LentRows(in ExclusiveUse use, int fetchSize)
    {
        _use = use;
        _stream = new Stream(this, fetchSize);
    }

    /// <summary>The rows of the batch that the reader has.</summary>
    internal ReadOnlySequence<byte> Received => _isTaken
        ? _received
        : throw new InvalidOperationException($"There is no batch. {nameof(NextBatchAsync)} gets one; it says whether there is.");

    internal PgTag Tag => _tag;

    internal MessageScratch Scratch { get; private set; } = null!; // Set before a batch is lent.

    internal RowLayout Layout { get; } = new();

    internal ResultColumns Columns { get; private set; } = ResultColumns.None;

    internal RowStream Target => _stream;

    /// <summary>Whether the connection waits for the reader.</summary>
    internal bool IsLent => _isLent;

    /// <summary>The reader may ask for more, and the connection waits for it.</summary>
    internal bool IsOpen => !_hasEnded && !_isDisposed;

    private Reactor Reactor => _use.Target.Reactor;

    internal void Start(Command command, ValueTask<PgTag> result)
    {
        _command = command;
        _ = DropAsync(result);
    }

    internal ValueTask<bool> NextBatchAsync(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (Reactor.IsCurrent && !cancellationToken.CanBeCanceled)
        {
            return Next();
        }

        return new ValueTask<bool>(NextFromElsewhereAsync(cancellationToken));
    }

    internal async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (Reactor.IsCurrent)
        {
            Abandon();
        }
        else
        {
            await OnReactorAsync(() =>
            {
                Abandon();
                return new ValueTask<bool>(true);
            }).ConfigureAwait(true);
        }

        await _use.DisposeAsync().ConfigureAwait(true);
    }

    /// <summary>The reader's object was collected: only this call returns the connection. Threads: any.</summary>
    internal void Forget() => Reactor.TryEnqueue(this, static rows => _ = rows.ForgetAsync());

    /// <summary>Lends the received bytes, beginning with a row. Completes when the reader has returned it.</summary>
    internal ValueTask LendAsync(in ReadOnlySequence<byte> received, ResultColumns columns, MessageScratch scratch)
    {
        _received = received;
        Columns = columns;
        Scratch = scratch;
        _isLent = true;
        _returned.Reset();
        return _returned.TaskWithoutResult;
    }

    /// <summary>Resumes the reader, if it waits for lent rows.</summary>
    internal void ResumeReader()
    {
        if (_isLent && _isAsking)
        {
            _isAsking = false;
            _isTaken = true;
            _asked.SetResult(Reactor, true);
        }
    }

    private async Task ForgetAsync()
    {
        _use.Target.DataSource.Log.RowsNotDisposed();
        bool isGraceOver = false;
        try
        {
            while (_isAsking || (_isTaken && !isGraceOver))
            {
                isGraceOver = _isTaken;
                await Reactor.DelayAsync(s_grace).ConfigureAwait(true);
            }

            await DisposeAsync().ConfigureAwait(true);
        }
        catch (ObjectDisposedException)
        {
            // The reactor has ended, and its connections with it.
        }
    }

    private ValueTask<bool> Next()
    {
        if (_isAsking)
        {
            throw new InvalidOperationException("The last batch is still awaited.");
        }

        if (_isLent && !_isTaken)
        {
            _isTaken = true;
            return new ValueTask<bool>(true);
        }

        using ContextScope scope = Reactor.EnterRuntime();
        _asked.Reset();
        _isAsking = true;
        ValueTask<bool> result = _asked.Task;
        Return();
        if (_hasEnded)
        {
            EndWait();
        }

        return result;
    }

    /// <summary>Returns the rows; the connection continues inside this call.</summary>
    private void Return()
    {
        _isTaken = false;
        if (_isLent)
        {
            _isLent = false;
            _received = default;
            _returned.SetResult(Reactor, true);
        }
    }

    private void Abandon()
    {
        using ContextScope scope = Reactor.EnterRuntime();
        if (_hasEnded)
        {
            Return();
            return;
        }

        if (_command!.Stage != RoundTripStage.Sent)
        {
            CancelRest();
            return;
        }

        _command.IsAbandoned = true;
        Return();
        if (_stream.FetchSize == 0)
        {
            // The rest of a short answer is already in the buffer, and the connection finishes it in this turn. Only a longer answer is worth a
            // cancel request.
            Reactor.Enqueue(this, static rows => rows.CancelRest());
        }
        else
        {
            // A suspended portal needs none, it just ends. For a fetch that takes longer the clock sends one.
            _command.Connection!.Pipeline.RestartClock(_command);
        }
    }

    private void CancelRest()
    {
        if (!_hasEnded)
        {
            _command!.IsAbandoned = false;
            _use.Target.Cancel(_command, new OperationCanceledException("The rows were disposed before their end."));
        }
    }

    private void Ended(PgTag tag, Exception? error)
    {
        _hasEnded = true;
        _tag = tag;
        _error = error;
        if (_isAsking)
        {
            EndWait();
        }
    }

    private void EndWait()
    {
        if (!_isAsking)
        {
            return;
        }

        _isAsking = false;
        if (_error is { } error)
        {
            _asked.SetException(Reactor, error);
        }
        else
        {
            _asked.SetResult(Reactor, false);
        }
    }

    private Task<bool> NextFromElsewhereAsync(CancellationToken cancellationToken) => OnReactorAsync(() => NextAsync(cancellationToken));

    private async ValueTask<bool> NextAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) =>
            {
                var rows = (LentRows)state!;
                rows.Reactor.Enqueue(rows, static rows => rows.GiveUp());
            },
            this);
        try
        {
            return await Next().ConfigureAwait(true);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(cancellationToken);
        }
    }

    private void GiveUp()
    {
        if (!_hasEnded)
        {
            _use.Target.Cancel(_command!, new OperationCanceledException());
        }
    }

    private Task<T> OnReactorAsync<T>(Func<ValueTask<T>> work)
        => ReactorWork.OnReactorAsync(Reactor, () => work().AsTask());

    private static async Task DropAsync(ValueTask<PgTag> result)
    {
        try
        {
            await result.ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The next batch resumes the reader.
        }
    }

    private sealed class Stream(LentRows rows, int fetchSize) : RowStream
    {
        internal LentRows Rows => rows;

        internal override int FetchSize => fetchSize;

        internal override bool RunsUserCode => false;

        /// <summary>Drops rows of an abandoned command.</summary>
        internal override void Take(PgRow row)
        {
        }

        internal override void Ended(PgTag tag, Exception? error) => rows.Ended(tag, error);
    }

    /// <summary>The rows that a stream lends, or null.</summary>
    internal static LentRows? Of(RowStream? stream) => (stream as Stream)?.Rows;
}
