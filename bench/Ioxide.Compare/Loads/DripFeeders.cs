using System.Net.Sockets;

namespace Ioxide.Compare.Loads;

/// <summary>Connections that send a request without an end, each a byte every 100 ms.</summary>
internal sealed class DripFeeders : HeldConnections
{
    private const int Count = 200;
    private const int TurnMs = 10;

    /// <summary>Each turn feeds one of so many connections.</summary>
    private const int TurnsPerByte = 10;

    private static readonly byte[] s_head = "GET /plaintext HTTP/1.1\r\nHost: localhost\r\nX-Drip: "u8.ToArray();

    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;

    internal DripFeeders(int port)
        : base(port, Count)
    {
        _thread = new Thread(Feed) { IsBackground = true };
        _thread.Start();
    }

    public override void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
        base.Dispose();
    }

    private void Feed()
    {
        try
        {
            for (int turn = 0; !_stop.Wait(TurnMs); turn++)
            {
                int index = turn / TurnsPerByte;
                byte next = index < s_head.Length ? s_head[index] : (byte)'a';
                for (int socket = turn % TurnsPerByte; socket < Sockets.Count; socket += TurnsPerByte)
                {
                    Sockets[socket].Send([next]);
                }
            }
        }
        catch (SocketException)
        {
            // The server ended it, which the check tells.
        }
    }
}
