using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Simulation;

/// <summary>Answers every byte with itself, in all the ways in which a handler may read, write, wait and end.</summary>
internal sealed partial class EchoApplication(World world, Reactor reactor)
{
    // Handlers whose reactor has ended go on on the thread pool.
    private readonly Lock _lock = new();
    private readonly List<RingConnection> _open = [];
    private readonly HashSet<Peer> _cutShort = [];
    private int _running;
    private int _ownersAlive;

    /// <summary>Handlers that have not ended.</summary>
    internal int Running => Volatile.Read(ref _running);

    /// <summary>Pieces of outside memory that were handed to the runtime and not given back.</summary>
    internal int OwnersAlive => Volatile.Read(ref _ownersAlive);

    /// <summary>Connections whose handlers still serve.</summary>
    internal IReadOnlyCollection<RingConnection> Open => _open;

    /// <summary>A handler went on when its reactor had ended. What it holds is left to the collector; the kernel has let go of it.</summary>
    internal bool HasOutlivedReactor { get; private set; }

    /// <summary>Whether the connection ended by something that is nobody's fault: a time-out, the end of the reactor.</summary>
    internal bool WasCutShort(Peer peer) => _cutShort.Contains(peer);

    internal void OwnerMade() => Interlocked.Increment(ref _ownersAlive);

    internal void OwnerDisposed() => Interlocked.Decrement(ref _ownersAlive);

    internal RingConnection? SomeConnection(Dice dice)
    {
        RingConnection? connection = _open.Count == 0 ? null : _open[dice.Below(_open.Count)];
        return connection is not null && (world.PeerOf(connection).Behaviour & Behaviour.Cancelled) != 0 ? connection : null;
    }

    internal RingConnection? SomeConnectionToAbort(Dice dice)
    {
        RingConnection? connection = _open.Count == 0 ? null : _open[dice.Below(_open.Count)];
        return connection is not null && world.PeerOf(connection).Ending == Ending.Aborts ? connection : null;
    }

    internal void Accepted(RingConnection connection) => _ = ServeAsync(connection, world.PeerOf(connection));

    internal void ConnectTo(Peer peer) => _ = ConnectAsync(peer);

    private async Task ConnectAsync(Peer peer)
    {
        Interlocked.Increment(ref _running);
        try
        {
            peer.Stage = "connecting";
            RingConnection connection = await reactor.ConnectAsync(
                new IPEndPoint(IPAddress.Loopback, peer.Port), world.Plan.Connection, peer.ConnectCancellation!.Token).In(world);
            if (peer.WasCancelledBeforeAnswer)
            {
                world.Violated($"{peer}: a connect that was cancelled before its answer gave a connection");
            }

            BlockSomewhere(BlockSite.AfterConnect);
            await ServeAsync(connection, peer);
        }
        catch (OperationCanceledException)
        {
            CutShort(peer);
            peer.NeverConnected();
            if (!peer.IsConnectCancelled)
            {
                world.Violated($"{peer}: a connect was cancelled that nobody cancelled");
            }
        }
        catch (SocketException exception)
        {
            peer.NeverConnected();
            if (peer.ConnectError == 0 && exception.SocketErrorCode != SocketError.TooManyOpenSockets)
            {
                world.Violated($"{peer}: connect failed with {exception.SocketErrorCode}");
            }
        }
        catch (ObjectDisposedException)
        {
            peer.NeverConnected();
            if (!world.IsStopping)
            {
                world.Violated($"{peer}: connect failed because the reactor ended, and it did not");
            }
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private async Task ServeAsync(RingConnection connection, Peer peer)
    {
        Interlocked.Increment(ref _running);
        _open.Add(connection);
        Watch(connection);
        try
        {
            if (!peer.IsOutbound)
            {
                BlockSomewhere(BlockSite.InAccept);
            }

            if (world.Chance(20))
            {
                _ = ReadFileAsync();
            }

            if ((peer.Behaviour & Behaviour.FinishesFirst) != 0)
            {
                connection.Output.Complete();
            }

            bool isAborted = await EchoAsync(connection, peer);
            if (isAborted)
            {
                connection.Abort();
            }
            else if (peer.Ending != Ending.Disposes)
            {
                connection.Output.Complete();
            }
        }
        catch (IOException)
        {
            // The connection broke under the handler: the peer reset it, it timed out, or the reactor ended.
            if (!peer.HasReset && connection.CloseReason is CloseReason.None or CloseReason.PeerFinished)
            {
                world.Violated($"{peer}: a read failed, and the connection is {connection.CloseReason}");
            }
        }
        catch (ObjectDisposedException) when (world.IsStopping)
        {
            // Its timer ended with the reactor.
        }
        catch (Exception exception) when (exception is not ViolationException)
        {
            world.Violated($"{peer} ({peer.Behaviour}): {exception}");
        }

        world.CheckApplication();
        BlockSomewhere(BlockSite.AtEnd);
        NoteEnd(connection, peer);

        lock (_lock)
        {
            _open.Remove(connection);
        }

        long closing = world.NowNs;
        peer.Stage = "disposing";
        await connection.DisposeAsync().In(world);
        if (world.Plan.Connection.LingerTimeout > TimeSpan.Zero
            && world.NowNs - closing >= world.Plan.Connection.LingerTimeout.TotalNanoseconds)
        {
            world.Mark("linger: timed out");
            peer.HasLingeredLong = true;
        }

        if (connection.CloseReason == CloseReason.TimedOut)
        {
            world.Mark("send: timed out");
        }

        NoteEnd(connection, peer);

        peer.Stage = $"ended ({connection.CloseReason})";
        Interlocked.Decrement(ref _running);
    }

    private void NoteEnd(RingConnection connection, Peer peer)
    {
        HasOutlivedReactor |= connection.CloseReason == CloseReason.ReactorEnded || reactor.HasEnded;
        if (connection.CloseReason is CloseReason.TimedOut or CloseReason.ReactorEnded or CloseReason.PeerReset)
        {
            CutShort(peer);
        }
    }

    private void CutShort(Peer peer)
    {
        lock (_lock)
        {
            _cutShort.Add(peer);
        }
    }

    /// <returns>Whether the handler wants the connection aborted.</returns>
    private async Task<bool> EchoAsync(RingConnection connection, Peer peer)
    {
        Behaviour behaviour = peer.Behaviour;
        PipeReader input = connection.Input;
        bool isSilent = (behaviour & Behaviour.FinishesFirst) != 0;
        long consumed = 0;
        long answered = 0;
        Handover? handover = null;
        while (true)
        {
            if (peer.Ending != Ending.AtEnd && answered >= peer.EndsAtByte)
            {
                await FinishAsync(handover);
                return peer.Ending == Ending.Aborts;
            }

            if (isSilent && peer.Ending != Ending.AtEnd && consumed >= peer.EndsAtByte)
            {
                return peer.Ending == Ending.Aborts;
            }

            peer.Stage = "reading";
            ReadResult read = await ReadAsync(input, behaviour);
            BlockSomewhere(BlockSite.AfterRead);
            CheckInput(read.Buffer, peer, consumed);
            long take = read.Buffer.Length;
            if (peer.Ending != Ending.AtEnd)
            {
                take = Math.Min(take, peer.EndsAtByte - consumed);
            }

            if ((behaviour & Behaviour.Partly) != 0 && !read.IsCompleted && take > 1)
            {
                take = world.Between(0, (int)take);
            }

            bool goesElsewhere = (behaviour & Behaviour.Elsewhere) != 0 && take > 0;
            if (goesElsewhere && world.Chance(300))
            {
                peer.Stage = "going elsewhere";
                await new OtherThread(world);
            }

            peer.Stage = "writing";
            ReadOnlySequence<byte> piece = read.Buffer.Slice(0, take);
            await FinishAsync(handover);
            handover = null;
            if ((behaviour & Behaviour.HandsOver) != 0 && !isSilent && take > 0 && !read.IsCompleted && world.Chance(500))
            {
                handover = new Handover(world, connection.Output, piece.ToArray());
                world.RunElsewhere(handover.Run);
                answered += take;
            }
            else if (!isSilent)
            {
                await WriteAsync(connection, piece, behaviour);
                answered += take;
            }

            consumed += take;
            bool isOver = read.IsCompleted && take == read.Buffer.Length;
            peer.HasLeftInput = take < read.Buffer.Length;
            input.AdvanceTo(piece.End, read.Buffer.End);
            if ((behaviour & Behaviour.Late) != 0 && take > 0)
            {
                peer.Stage = "delaying";
                await DelayAsync(peer, world.Chance(100) ? world.Between(60, 300) : world.Between(0, 3));
            }

            if (goesElsewhere && world.Chance(500))
            {
                peer.Stage = "going elsewhere";
                await new OtherThread(world);
            }

            if (!isSilent && handover is null)
            {
                peer.Stage = "flushing";
                BlockSomewhere(BlockSite.BeforeFlush);
                FlushResult flushed = await FlushAsync(connection.Output, behaviour);
                BlockSomewhere(BlockSite.AfterFlush);
                if (flushed.IsCompleted)
                {
                    return false;
                }
            }

            if (isOver)
            {
                return false;
            }
        }
    }

    private async ValueTask FinishAsync(Handover? handover)
    {
        while (handover is { IsOver: false })
        {
            await reactor.DelayAsync(TimeSpan.Zero).In(world);
        }
    }

    private async ValueTask DelayAsync(Peer peer, int milliseconds)
    {
        const long LatestNs = 20_000_000;
        long dueNs = world.NowNs + (milliseconds * 1_000_000L);
        await reactor.DelayAsync(TimeSpan.FromMilliseconds(milliseconds)).In(world);
        if (world.NowNs < dueNs || world.NowNs > dueNs + LatestNs)
        {
            world.Violated($"{peer}: a delay of {milliseconds} ms ended {(world.NowNs - dueNs) / 1e6} ms after it was due");
        }

        BlockSomewhere(BlockSite.AfterDelay);
    }

    private void CheckInput(ReadOnlySequence<byte> buffer, Peer peer, long offset)
    {
        foreach (ReadOnlyMemory<byte> segment in buffer)
        {
            int foreign = Pattern.FindForeign(segment.Span, peer.Key, offset);
            if (foreign >= 0)
            {
                world.Violated($"{peer}: byte {offset + foreign} was received as {segment.Span[foreign]:x2}, which does not belong there");
            }

            offset += segment.Length;
        }

        if (offset > peer.Sent)
        {
            world.Violated($"{peer}: {offset} bytes were received of {peer.Sent}");
        }
    }

    private async ValueTask WriteAsync(RingConnection connection, ReadOnlySequence<byte> piece, Behaviour behaviour)
    {
        foreach (ReadOnlyMemory<byte> segment in piece)
        {
            ReadOnlyMemory<byte> rest = segment;
            while (!rest.IsEmpty)
            {
                rest = rest[WriteSome(connection.Output, rest.Span, behaviour)..];
                if ((behaviour & Behaviour.FlushesOften) != 0 && world.Chance(300))
                {
                    await connection.Output.FlushAsync().In(world);
                }
            }
        }
    }

    private int WriteSome(SendPipe output, ReadOnlySpan<byte> bytes, Behaviour behaviour)
    {
        int count = world.Chance(300) ? world.Between(1, bytes.Length) : bytes.Length;
        if ((behaviour & Behaviour.ByReference) != 0 && world.Chance(500))
        {
            if (world.Chance(300))
            {
                // Room that stays empty.
                _ = output.GetSpan();
            }

            if (world.Chance(500))
            {
                // Nobody is told when it is sent, and nobody writes to it.
                ((IReferenceWriter)output).Append(bytes[..count].ToArray(), owner: null, isImmutable: true);
                return count;
            }

            var owner = new SpoilingOwner(this, world, bytes[..count]);
            output.Append(owner.Memory, owner);
            return count;
        }

        Span<byte> target = output.GetSpan(world.Chance(100) ? count : 1);
        count = Math.Min(count, target.Length);
        bytes[..count].CopyTo(target);
        output.Advance(count);
        return count;
    }
}
