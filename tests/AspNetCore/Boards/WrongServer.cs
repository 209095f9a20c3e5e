using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A server that is wrong in one way: it says the same to whatever it hears.</summary>
internal sealed class WrongServer : IAsyncDisposable
{
    private readonly Socket _listener = RawSocket.Listen();
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _run;

    /// <param name="answer">Said to each piece that is heard; null for nothing.</param>
    /// <param name="greets">It is said before anything is heard, too.</param>
    /// <param name="closes">The connection ends at the first piece.</param>
    internal WrongServer(string? answer, bool greets = false, bool closes = false) => _run = RunAsync(answer, greets, closes);

    internal EndPoint EndPoint => _listener.LocalEndPoint!;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Dispose();
        await _run.Within(20.Seconds());
        _stop.Dispose();
    }

    private async Task RunAsync(string? answer, bool greets, bool closes)
    {
        List<Task> connections = [];
        try
        {
            while (true)
            {
                connections.Add(ServeAsync(await _listener.AcceptAsync(_stop.Token), answer, greets, closes));
            }
        }
        catch (OperationCanceledException)
        {
            await Task.WhenAll(connections);
        }
    }

    private async Task ServeAsync(Socket accepted, string? answer, bool greets, bool closes)
    {
        using Socket socket = accepted;
        byte[] buffer = new byte[64 * 1024];
        try
        {
            bool speaks = greets;
            do
            {
                if (speaks && answer is not null)
                {
                    await socket.SendAllAsync(Encoding.Latin1.GetBytes(answer));
                }

                speaks = await socket.ReceiveAsync(buffer, _stop.Token) > 0;
            }
            while (speaks && !closes);
        }
        catch (Exception exception) when (exception is SocketException or OperationCanceledException)
        {
            // The client has left, or the test has.
        }
    }
}
