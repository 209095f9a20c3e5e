using System.Buffers;

namespace Ioxide.Simulation;

/// <summary>Answers every byte with itself, on the connection's reactor or on another.</summary>
internal sealed class GroupApplication(GroupWorld world)
{
    private int _running;

    /// <summary>Handlers that have not ended.</summary>
    internal int Running => Volatile.Read(ref _running);

    /// <summary>Connections that were served so far.</summary>
    internal int Served { get; private set; }

    /// <summary>A handler went on when a reactor of its connection had ended. What it holds is left to the collector.</summary>
    internal bool HasOutlivedReactor { get; private set; }

    internal void Accepted(RingConnection connection) => _ = ServeAsync(connection, world.PeerOf(connection));

    private async Task ServeAsync(RingConnection connection, GroupPeer peer)
    {
        Interlocked.Increment(ref _running);
        Served++;
        world.Started(connection, peer);
        try
        {
            if (peer.Style == GroupStyle.Abroad)
            {
                await new SwitchToReactor(world.MemberAt(peer.AbroadId));
            }

            await EchoAsync(connection, peer);
            connection.Output.Complete();
        }
        catch (IOException)
        {
            if (!peer.HasReset && connection.CloseReason is CloseReason.None or CloseReason.PeerFinished)
            {
                world.Violated($"{peer}: a read failed, and the connection is {connection.CloseReason}");
            }
        }
        catch (Exception exception) when (exception is not ViolationException)
        {
            world.Violated($"{peer}: {exception}");
        }

        peer.Stage = "disposing";
        HasOutlivedReactor |= connection.Reactor.HasEnded;
        await connection.DisposeAsync();
        HasOutlivedReactor |= connection.Reactor.HasEnded || connection.CloseReason == CloseReason.ReactorEnded;
        peer.Stage = $"ended ({connection.CloseReason})";
        Interlocked.Decrement(ref _running);
    }

    private async Task EchoAsync(RingConnection connection, GroupPeer peer)
    {
        Reactor home = connection.Reactor;
        Reactor abroad = world.MemberAt(peer.AbroadId);
        long answered = 0;
        while (true)
        {
            peer.Stage = "reading";
            System.IO.Pipelines.ReadResult read = await connection.Input.ReadAsync();
            CheckPlace(home, peer);
            if (peer.Style == GroupStyle.Abroad)
            {
                await GoAsync(abroad, peer);
            }

            Check(read.Buffer, peer, answered);
            world.LeavePost();
            byte[] piece = read.Buffer.ToArray();
            connection.Input.AdvanceTo(read.Buffer.End);
            if (peer.Style == GroupStyle.Wanders && world.Moves())
            {
                world.Mark("handler: on another reactor and back");
                await GoAsync(abroad, peer);
                await GoAsync(home, peer);
            }

            peer.Stage = "flushing";
            connection.Output.Write(piece);
            answered += piece.Length;
            System.IO.Pipelines.FlushResult flushed = await connection.Output.FlushAsync();
            if (read.IsCompleted || flushed.IsCompleted)
            {
                return;
            }

            if (peer.Style == GroupStyle.Abroad)
            {
                await GoAsync(abroad, peer);
            }
        }
    }

    private async ValueTask GoAsync(Reactor reactor, GroupPeer peer)
    {
        peer.Stage = $"going to reactor {reactor.Id}";
        await new SwitchToReactor(reactor);
        CheckPlace(reactor, peer);
    }

    /// <summary>Code that has a reactor stays there for as long as that turns.</summary>
    private void CheckPlace(Reactor reactor, GroupPeer peer)
    {
        HasOutlivedReactor |= reactor.HasEnded;
        if (!reactor.HasEnded && !reactor.IsCurrent)
        {
            world.Violated($"{peer}: its handler is on reactor {Reactor.Current?.Id}, and not on {reactor.Id}");
        }
    }

    private void Check(in ReadOnlySequence<byte> buffer, GroupPeer peer, long offset)
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
}
