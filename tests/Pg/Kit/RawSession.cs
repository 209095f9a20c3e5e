using System.Net;
using System.Net.Sockets;

namespace Ioxide.Pg.Tests;

/// <summary>A client that sends exactly the bytes that it is given. It signs in as a trusted user and uses no driver.</summary>
internal sealed class RawSession : IDisposable
{
    private readonly Socket _socket;

    private RawSession(Socket socket) => _socket = socket;

    /// <summary>Process number and key, for a CancelRequest.</summary>
    internal byte[] Key { get; private set; } = [];

    /// <summary>Connects and reads up to the first ReadyForQuery.</summary>
    internal static async Task<RawSession> ConnectAsync(EndPoint endPoint, string database = "postgres", string user = PgUsers.Super)
    {
        var session = new RawSession(await RawSocket.ConnectAsync(endPoint).ConfigureAwait(false));
        try
        {
            IReadOnlyList<WireMessage> welcome = await session.AskAsync(FrontendMessages.Startup(user, database)).ConfigureAwait(false);
            session.Key = welcome.FirstOrDefault(message => message.Type == 'K')?.Body ?? [];
            return session;
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    internal Task SendAsync(byte[] bytes) => _socket.SendAllAsync(bytes);

    /// <summary>Sends and reads every message up to the next ReadyForQuery.</summary>
    internal async Task<IReadOnlyList<WireMessage>> AskAsync(params byte[] bytes)
    {
        await SendAsync(bytes).ConfigureAwait(false);
        return await ReadUntilAsync('Z').ConfigureAwait(false);
    }

    /// <summary>Reads every message up to one of a type.</summary>
    internal async Task<IReadOnlyList<WireMessage>> ReadUntilAsync(char type)
    {
        var messages = new List<WireMessage>();
        while (messages.Count == 0 || messages[^1].Type != type)
        {
            messages.Add(await ReadAsync().ConfigureAwait(false)
                ?? throw new EndOfStreamException($"The stream ended after {string.Join(' ', messages)}."));
        }

        return messages;
    }

    /// <summary>The next message, or null at the end of the stream.</summary>
    internal Task<WireMessage?> ReadAsync()
        => WireMessage.ReadAsync(
            async count =>
            {
                try
                {
                    return await _socket.ReceiveExactlyAsync(count).ConfigureAwait(false);
                }
                catch (EndOfStreamException)
                {
                    return null;
                }
            },
            hasType: true);

    public void Dispose() => _socket.Dispose();
}
