using Ioxide.Handshakes;

// What handshakes cost, and what silent clients do to honest ones:
//
//   dotnet run -c Release --project bench/Ioxide.Handshakes -- steps
//   dotnet run -c Release --project bench/Ioxide.Handshakes -- flood [KIND [KEY [SECONDS [ROUNDS]]]]
//
// KIND is what a silent client sends: empty (a record of no bytes), head (five bytes of a record), half (half a hello), hello (a whole one).
// The server is a process of its own on CPU 0, Kestrel with SslStream on sockets and with Ioxide in turn; the clients are on the others.
switch (args)
{
    case ["steps"]:
        StepTimes.Run();
        return 0;
    case ["serve", var side, var key]:
        await HandshakeServer.RunAsync(side, key);
        return 0;
    case ["flood", .. var rest] when rest.Length <= 4:
        await Flood.RunAsync(FloodOptions.Parse(rest));
        return 0;
    default:
        Console.Error.WriteLine("usage: Ioxide.Handshakes steps | flood [empty|head|half|hello [KEY [SECONDS [ROUNDS]]]]");
        return 2;
}
