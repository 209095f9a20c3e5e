using System.Net.Sockets;

namespace Ioxide.TestKit;

/// <summary>One direction of a <see cref="ProxyLink"/>.</summary>
internal sealed class ProxyPump(ProxyLink link, Direction direction, Socket from, Socket to, WireBoundaries? boundaries)
{
    private readonly ProxyFault[] _faults = [.. link.FaultsOf(direction)];
    private readonly List<byte> _recorded = [];
    private long _taken;
    private long _forwarded;
    private int _messages;
    private bool _isDropping;
    private ProxyFault? _slicing;
    private ReadOnlyMemory<byte> _replacement;

    internal long Forwarded => Volatile.Read(ref _forwarded);

    internal byte[] Recorded
    {
        get
        {
            lock (_recorded)
            {
                return [.. _recorded];
            }
        }
    }

    internal async Task RunAsync()
    {
        byte[] buffer = new byte[64 * 1024];
        try
        {
            await ApplyAsync(isNewMessage: _faults.Any(fault => fault.AfterMessages == 0)).ConfigureAwait(false);
            while (true)
            {
                int count = await from.ReceiveAsync(buffer.AsMemory(), SocketFlags.None, link.Over).ConfigureAwait(false);
                if (count == 0)
                {
                    ProxyLink.End(to);
                    return;
                }

                Record(buffer.AsSpan(0, count));
                await ForwardAsync(buffer.AsMemory(0, count)).ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (ProxyLink.IsEnd(exception))
        {
            // One side was reset, so the other is; after an end was told to both, each closes as it likes.
            if (!link.IsDiscarding)
            {
                link.Abort();
            }
        }
    }

    private void Record(ReadOnlySpan<byte> bytes)
    {
        if (link.IsRecording)
        {
            lock (_recorded)
            {
                _recorded.AddRange(bytes);
            }
        }
    }

    /// <summary>Forwards up to each place where a fault is due, and applies it there.</summary>
    private async Task ForwardAsync(Memory<byte> rest)
    {
        while (!rest.IsEmpty)
        {
            int piece = rest.Length;
            foreach (ProxyFault fault in _faults)
            {
                if (!fault.CountsMessages && fault.AfterBytes > _taken)
                {
                    piece = (int)Math.Min(piece, fault.AfterBytes - _taken);
                }
            }

            bool isEnd = false;
            if (boundaries is not null)
            {
                piece = boundaries.Advance(direction, rest.Span[..piece], out isEnd);
            }

            await SendAsync(rest[..piece]).ConfigureAwait(false);
            _taken += piece;
            _messages += isEnd ? 1 : 0;
            rest = rest[piece..];
            await ApplyAsync(isEnd).ConfigureAwait(false);
        }
    }

    private async Task SendAsync(Memory<byte> bytes)
    {
        int replaced = Math.Min(_replacement.Length, bytes.Length);
        _replacement[..replaced].CopyTo(bytes);
        _replacement = _replacement[replaced..];
        if (_isDropping || link.IsDiscarding)
        {
            return;
        }

        int sliceBytes = _slicing?.SliceBytes ?? bytes.Length;
        while (!bytes.IsEmpty)
        {
            Memory<byte> slice = bytes[..Math.Min(sliceBytes, bytes.Length)];
            bytes = bytes[slice.Length..];

            // Asked for before the send: who has the slice may release the next one.
            Task released = _slicing is { IsEachHeld: true } ? link.WhenReleasedAsync() : Task.CompletedTask;
            for (int sent = 0; sent < slice.Length;)
            {
                sent += await to.SendAsync(slice[sent..], SocketFlags.None, link.Over).ConfigureAwait(false);
            }

            Volatile.Write(ref _forwarded, _forwarded + slice.Length);
            await released.ConfigureAwait(false);
        }
    }

    private async Task ApplyAsync(bool isNewMessage)
    {
        foreach (ProxyFault fault in _faults)
        {
            if (fault.IsDue(_taken, _messages, isNewMessage))
            {
                await ApplyAsync(fault).ConfigureAwait(false);
            }
        }
    }

    private async Task ApplyAsync(ProxyFault fault)
    {
        switch (fault.Kind)
        {
            case ProxyFaultKind.Cut:
                link.EndBoth();
                break;
            case ProxyFaultKind.Reset:
                // A reset throws away what the other end has not acknowledged.
                await Waits.Eventually(() => Libc.UnsentBytes(to) == 0, 20.Seconds()).ConfigureAwait(false);
                link.Abort();
                break;
            case ProxyFaultKind.HalfClose:
                ProxyLink.End(to);
                _isDropping = true;
                break;
            case ProxyFaultKind.Drop:
                _isDropping = true;
                break;
            case ProxyFaultKind.Stall:
                await link.WhenReleasedAsync().ConfigureAwait(false);
                break;
            case ProxyFaultKind.Delay:
                await Task.Delay(fault.Pause, link.Over).ConfigureAwait(false);
                break;
            case ProxyFaultKind.Slice:
                _slicing = fault;
                break;
            case ProxyFaultKind.Replace:
                _replacement = fault.Bytes;
                break;
            case ProxyFaultKind.Insert:
                await SendAsync(fault.Bytes.ToArray()).ConfigureAwait(false);
                break;
            default:
                throw new System.Diagnostics.UnreachableException($"{fault.Kind}");
        }
    }
}
