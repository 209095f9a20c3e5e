using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Http2;

/// <summary>A connection behind a stream, such as SslStream's: its writer takes one write at a time, and lends no memory.</summary>
/// <remarks>
/// Bytes are copied into an array, once. While the stream writes it, the next one is filled: at most what the engine writes before it waits for a
/// flush. Threads: the reactor's.
/// </remarks>
internal sealed class CopyingTransport(IDuplexPipe inner) : PipeWriter, IDuplexPipe, IReferenceWriter
{
    private static readonly Type s_streamWriter = Create(Stream.Null).GetType();

    private readonly TaskCompletionSource _completed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private byte[] _filled = [];
    private int _length;
    private Task _lastWrite = Task.CompletedTask;
    private Task? _rest;

    public PipeReader Input => inner.Input;

    public PipeWriter Output => this;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _length;

    /// <summary>The engine writes nothing more.</summary>
    internal Task Completed => _completed.Task;

    /// <summary>It said so because of an error.</summary>
    internal bool HasError { get; private set; }

    /// <summary>What was written is with the stream below, and not in a pipe from which another task takes it.</summary>
    internal bool IsStream => inner.Output.GetType() == s_streamWriter;

    /// <summary>The last write; after <see cref="Complete"/> all of them.</summary>
    internal Task Writing => _rest ?? _lastWrite;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        const int SmallestBytes = 4096;
        int needed = _length + Math.Max(1, sizeHint);
        if (needed > _filled.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(SmallestBytes, Math.Max(needed, 2 * _length)));
            _filled.AsSpan(0, _length).CopyTo(larger);
            Return(_filled);
            _filled = larger;
        }

        return _filled.AsMemory(_length);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes) => _length += bytes;

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (_length == 0)
        {
            return default;
        }

        byte[] bytes = _filled;
        int length = _length;
        _filled = [];
        _length = 0;
        ValueTask<FlushResult> writing = WriteAsync(bytes, length);
        if (writing.IsCompletedSuccessfully)
        {
            return writing;
        }

        Task<FlushResult> pending = writing.AsTask();
        _lastWrite = pending;
        return new ValueTask<FlushResult>(pending);
    }

    public override void CancelPendingFlush() => inner.Output.CancelPendingFlush();

    /// <summary>The engine is through with it: what is left is written. Kestrel, which made the stream, ends that.</summary>
    public override void Complete(Exception? exception = null)
    {
        HasError = exception is not null;
        _rest = WriteRestAsync();
        _ = _completed.TrySetResult();
    }

    public void Append(ReadOnlyMemory<byte> memory, IDisposable? owner = null, bool isImmutable = false)
    {
        memory.Span.CopyTo(GetSpan(memory.Length));
        Advance(memory.Length);
        owner?.Dispose();
    }

    public bool TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable = false) => false;

    private async Task WriteRestAsync()
    {
        do
        {
            // The engine waits for the same write, continues first, and may begin the next one.
            await _lastWrite.ConfigureAwait(true);
            _ = await FlushAsync().ConfigureAwait(true);
        }
        while (!_lastWrite.IsCompleted);
    }

    private async ValueTask<FlushResult> WriteAsync(byte[] bytes, int length)
    {
        try
        {
            return await inner.Output.WriteAsync(bytes.AsMemory(0, length)).ConfigureAwait(true);
        }
        finally
        {
            Return(bytes);
        }
    }

    private static void Return(byte[] bytes)
    {
        if (bytes.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }
}
