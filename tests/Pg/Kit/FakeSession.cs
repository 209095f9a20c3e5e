using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>One connection of a <see cref="FakeServer"/>.</summary>
internal sealed class FakeSession(Socket socket, int index, Delivery delivery)
{
    private readonly List<WireMessage> _received = [];
    private long _sent;

    /// <summary>Number of the connection, from 0.</summary>
    internal int Index => index;

    /// <summary>Whether the delivery ended it before its script did.</summary>
    internal bool IsCut { get; private set; }

    /// <summary>Whether it came to the end of its script, or to the delivery's.</summary>
    internal bool HasEnded { get; private set; }

    /// <summary>What broke the script: another message than expected, or the client's early end.</summary>
    internal Exception? Failure { get; private set; }

    /// <summary>What the client sent, as far as the script read it.</summary>
    internal IReadOnlyList<WireMessage> Received
    {
        get
        {
            lock (_received)
            {
                return [.. _received];
            }
        }
    }

    internal Task<WireMessage> ReadUntypedAsync() => ReadAsync(hasType: false);

    internal Task<WireMessage> ReadAsync() => ReadAsync(hasType: true);

    /// <summary>Sends as the delivery says.</summary>
    internal async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty && !IsCut)
        {
            long piece = delivery.SliceBytes > 0 ? Math.Min(delivery.SliceBytes, bytes.Length) : bytes.Length;
            piece = delivery.SplitAt > _sent ? Math.Min(piece, delivery.SplitAt - _sent) : piece;
            piece = delivery.EndAt >= _sent ? Math.Min(piece, delivery.EndAt - _sent) : piece;
            await socket.SendAllAsync(bytes[..(int)piece]).ConfigureAwait(false);
            bytes = bytes[(int)piece..];
            _sent += piece;
            if (_sent == delivery.SplitAt)
            {
                await Task.Delay(Delivery.SplitPause).ConfigureAwait(false);
            }

            if (_sent == delivery.EndAt)
            {
                IsCut = true;
                await (delivery.IsReset ? ResetAsync() : EndAsync()).ConfigureAwait(false);
            }
        }
    }

    internal void End() => socket.Shutdown(SocketShutdown.Send);

    /// <summary>Resets once all was acknowledged, because a reset throws the rest away.</summary>
    internal async Task ResetAsync()
    {
        await Waits.Eventually(() => Libc.UnsentBytes(socket) == 0, 20.Seconds()).ConfigureAwait(false);
        socket.Reset();
    }

    internal async Task RunAsync(Script script)
    {
        try
        {
            if (delivery.EndAt == 0)
            {
                IsCut = true;
                await (delivery.IsReset ? ResetAsync() : EndAsync()).ConfigureAwait(false);
            }

            foreach (Func<FakeSession, Task> step in script.Steps)
            {
                if (IsCut)
                {
                    break;
                }

                await step(this).ConfigureAwait(false);
            }

            HasEnded = true;
            await DrainAsync().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            // The test that asks for it gets it. After the end of a script a client may go as it likes.
            Failure = HasEnded ? null : exception;
        }
        finally
        {
            socket.Dispose();
        }
    }

    /// <summary>Ends the session from outside.</summary>
    internal void Abandon() => socket.Dispose();

    private Task EndAsync()
    {
        End();
        return Task.CompletedTask;
    }

    private async Task<WireMessage> ReadAsync(bool hasType)
    {
        WireMessage message = await WireMessage.ReadAsync(
            async count => await socket.ReceiveExactlyAsync(count).ConfigureAwait(false), hasType).ConfigureAwait(false)
            ?? throw new EndOfStreamException("The client ended the stream.");
        lock (_received)
        {
            _received.Add(message);
        }

        return message;
    }

    /// <summary>Without it a close would reset the connection, and take from the client what it has not read.</summary>
    private async Task DrainAsync()
    {
        byte[] bytes = new byte[4096];
        while (await socket.ReceiveAsync(bytes.AsMemory(), SocketFlags.None).ConfigureAwait(false) > 0)
        {
        }
    }
}
