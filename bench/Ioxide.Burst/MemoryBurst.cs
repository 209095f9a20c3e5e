using System.Net.Sockets;
using System.Text;

namespace Ioxide.Burst;

/// <summary>Connections that do not read, that drip, and whose uploads nobody reads; then all are closed.</summary>
internal static class MemoryBurst
{
    private const int Readers = 2000;
    private const int Drippers = 2000;
    private const int Uploads = 1500;
    private const int UploadBytes = 2 * 1024 * 1024;
    private const int HeldSeconds = 10;
    private const int AfterSeconds = 70;
    private const double Mebibyte = 1024 * 1024;

    internal static async Task RunAsync(string transport, double scale)
    {
        await using ServerProcess server = new ServerProcess(transport, descriptors: 20_000, isLimited: false);
        await TellAsync(server, transport, "before");
        var sockets = new List<Socket>();
        for (int number = 0; number < Readers * scale; number++)
        {
            Socket socket = await server.ConnectAsync(receiveBufferSize: 4096);
            sockets.Add(socket);
            await socket.SendAsync("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray());
        }

        byte[] head = Encoding.ASCII.GetBytes($"POST /hold HTTP/1.1\r\nHost: localhost\r\nContent-Length: {UploadBytes}\r\n\r\n");
        byte[] body = new byte[UploadBytes];
        for (int number = 0; number < Uploads * scale; number++)
        {
            Socket socket = await server.ConnectAsync();
            sockets.Add(socket);
            await socket.SendAsync(head);
            socket.Blocking = false;
            _ = socket.Send(body, 0, body.Length, SocketFlags.None, out _);
        }

        Socket[] dripping = new Socket[(int)(Drippers * scale)];
        for (int number = 0; number < dripping.Length; number++)
        {
            dripping[number] = await server.ConnectAsync();
        }

        for (int second = 0; second < HeldSeconds; second++)
        {
            foreach (Socket socket in dripping)
            {
                await socket.SendAsync(second == 0 ? "GET /ok HTTP/1.1\r\nX: "u8.ToArray() : "x"u8.ToArray());
            }

            await Task.Delay(1000);
        }

        await TellAsync(server, transport, "held");
        foreach (Socket socket in sockets.Concat(dripping))
        {
            socket.Dispose();
        }

        await server.ReleaseAsync();
        for (int second = 10; second <= AfterSeconds; second += 10)
        {
            await Task.Delay(TimeSpan.FromSeconds(10));
            await TellAsync(server, transport, $"{second} s after");
        }
    }

    private static async Task TellAsync(ServerProcess server, string transport, string when)
        => Console.WriteLine(
            $"{transport,-8} {when,-12} live {await server.LiveBytesAsync() / Mebibyte,8:F1} MiB, resident {server.ResidentBytes() / Mebibyte,8:F1} MiB, "
            + $"{server.CountDescriptors()} descriptors");
}
