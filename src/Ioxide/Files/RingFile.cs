using System.Buffers;
using Microsoft.Win32.SafeHandles;

namespace Ioxide;

/// <summary>A file read through a reactor's ring.</summary>
/// <remarks>
/// It is opened on the thread pool, because opening may block and is not among the operations that rings are
/// restricted to. Reads of cached pages complete inside the enter that submits them. Source: io_uring_prep_read(3), Linux 5.6.
/// </remarks>
public sealed class RingFile : IDisposable
{
    private readonly Reactor _reactor;
    private readonly SafeFileHandle _handle;
    private volatile bool _isDisposed;

    private RingFile(Reactor reactor, SafeFileHandle handle, long length)
    {
        _reactor = reactor;
        _handle = handle;
        Length = length;
    }

    /// <summary>Wraps a handle that the caller opened. The file owns it from here on.</summary>
    internal static RingFile Adopt(Reactor reactor, SafeFileHandle handle, long length) => new(reactor, handle, length);

    /// <summary>Length in bytes when the file was opened.</summary>
    public long Length { get; }

    /// <summary>Opens a regular file for reading.</summary>
    /// <remarks>Threads: any.</remarks>
    /// <exception cref="IOException">As for <see cref="File.OpenHandle"/>.</exception>
    [ApplicationSide]
    public static async Task<RingFile> OpenAsync(Reactor reactor, string path, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(reactor);
        ArgumentException.ThrowIfNullOrEmpty(path);
        return await Task.Run(
            () =>
            {
                SafeFileHandle handle = File.OpenHandle(path);
                return new RingFile(reactor, handle, RandomAccess.GetLength(handle));
            },
            cancellationToken).ConfigureAwait(true);
    }

    /// <summary>Reads bytes at an offset; a result of 0 is the end of the file.</summary>
    /// <param name="buffer">Pinned until the kernel has finished with it.</param>
    /// <param name="offset">From the start of the file, in bytes.</param>
    /// <param name="cancellationToken">Asks the kernel to end the read; the buffer stays pinned until the read has ended.</param>
    /// <remarks>Threads: any.</remarks>
    /// <exception cref="ObjectDisposedException">
    /// The file is disposed of, or the reactor has ended. Then the kernel may still write to the buffer: do not use it again.
    /// </exception>
    public ValueTask<int> ReadAsync(Memory<byte> buffer, long offset, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<int>(cancellationToken);
        }

        return new ReadOperation(_reactor, _handle, buffer, offset, cancellationToken).Start();
    }

    /// <summary>Closes the file when the last read in flight has ended.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _handle.Dispose();
    }

    private sealed unsafe class ReadOperation(
        Reactor reactor, SafeFileHandle handle, Memory<byte> buffer, long offset, CancellationToken cancellationToken) : ICompletionTarget
    {
        private readonly TaskCompletionSource<int> _completion = new();
        private MemoryHandle _pin;
        private CancellationTokenRegistration _registration;
        private int _slotIndex = -1;
        private int? _result;
        private bool _isCancelRequested;

        internal ValueTask<int> Start()
        {
            // The handle counts its users: its descriptor is not closed, nor its number reused, before the last one is done.
            bool isReferenced = false;
            handle.DangerousAddRef(ref isReferenced);
            _pin = buffer.Pin();
            if (!reactor.TryEnqueue(this, static operation => operation.Submit()))
            {
                Release();
                _completion.SetException(new ObjectDisposedException($"Reactor {reactor.Id} has ended."));
            }

            return new ValueTask<int>(_completion.Task);
        }

        public string Describe() => $"read of {buffer.Length} B at {offset} of a file{(_isCancelRequested ? ", cancelling" : "")}";

        public void Complete(OperationKind kind, int result, uint flags)
        {
            if (kind == OperationKind.Read)
            {
                if (result is -Errno.EINTR or -Errno.EAGAIN && !_isCancelRequested)
                {
                    PrepareRead();
                    return;
                }

                _result = result;
                _registration.Unregister();
            }
            else
            {
                reactor.CompleteCancel(kind, OperationKind.Read, _slotIndex, result, isInFlight: _result is null);
            }

            if (reactor.Operations.InFlightOf(_slotIndex) > 0)
            {
                return;
            }

            reactor.Operations.Remove(_slotIndex);
            Release();
            int final = _result!.Value;
            using ContextScope scope = reactor.EnterApplication();
            if (final >= 0)
            {
                _completion.SetResult(final);
            }
            else if (final is -Errno.ECANCELED or -Errno.EINTR or -Errno.EAGAIN)
            {
                _completion.SetException(new OperationCanceledException(cancellationToken));
            }
            else
            {
                _completion.SetException(Errno.ToIOException(-final, "read the file"));
            }
        }

        public void ReactorEnded(Exception reason) => Cancel();

        /// <remarks>The buffer stays pinned: the kernel may still write to it.</remarks>
        public void EndWithoutRing(Exception reason)
        {
            // A cancel may be on its way here, and must not make an entry.
            _isCancelRequested = true;
            _registration.Unregister();
            _completion.SetException(reason);
        }

        private void Submit()
        {
            if (!reactor.CanStart)
            {
                Release();
                _completion.SetException(new ObjectDisposedException($"Reactor {reactor.Id} has ended."));
                return;
            }

            try
            {
                _slotIndex = reactor.Operations.Add(this);
            }
            catch (InvalidOperationException full)
            {
                Release();
                _completion.SetException(full);
                return;
            }

            PrepareRead();
            if (cancellationToken.CanBeCanceled)
            {
                _registration = cancellationToken.UnsafeRegister(
                    static operation =>
                    {
                        var self = (ReadOperation)operation!;
                        self.PostCancel();
                    },
                    this);
            }
        }

        private void PrepareRead()
        {
            Sqe* entry = reactor.Prepare(OperationKind.Read, _slotIndex);
            entry->Opcode = Opcode.Read;
            entry->Descriptor = (int)handle.DangerousGetHandle();
            entry->Address = (ulong)_pin.Pointer;
            entry->Length = (uint)buffer.Length;
            entry->Offset = (ulong)offset;
        }

        private void PostCancel()
            => reactor.Enqueue(this, static operation => operation.Cancel());

        private void Cancel()
        {
            if (_slotIndex >= 0 && _result is null && !_isCancelRequested)
            {
                _isCancelRequested = true;
                reactor.PrepareCancel(OperationKind.CancelRead, OperationKind.Read, _slotIndex);
            }
        }

        private void Release()
        {
            _pin.Dispose();
            handle.DangerousRelease();
        }
    }
}
