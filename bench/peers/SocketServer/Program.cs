using System.Globalization;
using System.Net;
using System.Net.Sockets;
using SocketServer;

// What System.Net.Sockets alone reaches: no Kestrel, no pipe, one fixed HTTP reply.
if (args.Length != 1 || !ushort.TryParse(args[0], NumberStyles.None, CultureInfo.InvariantCulture, out ushort port))
{
    Console.Error.WriteLine("usage: SocketServer PORT");
    return 2;
}

using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
listener.Bind(new IPEndPoint(IPAddress.Loopback, port));
listener.Listen(4096);

bool inlineCompletions = Environment.GetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS") == "1";
string transport = inlineCompletions ? "saea-ic" : "saea";
Console.WriteLine($"ready transport={transport} port={port} pid={Environment.ProcessId}");

while (true)
{
    Socket socket = await listener.AcceptAsync();
    new Connection(socket).Start();
}
