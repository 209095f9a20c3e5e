using Ioxide.Burst;

// What a burst of hostile connections leaves behind, on Ioxide and on the sockets transport:
//
//   dotnet run -c Release --project bench/Ioxide.Burst -- memory [SCALE]            1 is 2,000 + 2,000 + 1,500 connections
//   dotnet run -c Release --project bench/Ioxide.Burst -- linger [DESCRIPTORS]      3,000 connections at 800 per second, ulimit -n
//
// The server is a process of its own; everything goes over loopback.
switch (args)
{
    case ["serve", var transport]:
        await BurstServer.RunAsync(transport);
        return 0;
    case ["memory", .. var rest] when rest.Length <= 1:
        double scale = rest is [var text] ? double.Parse(text, System.Globalization.CultureInfo.InvariantCulture) : 1;
        await MemoryBurst.RunAsync("sockets", scale);
        await MemoryBurst.RunAsync("ioxide", scale);
        return 0;
    case ["linger", .. var rest] when rest.Length <= 1:
        int descriptors = rest is [var limit] ? int.Parse(limit, System.Globalization.CultureInfo.InvariantCulture) : 20_000;
        await LingerAttack.RunAsync("sockets", descriptors);
        await LingerAttack.RunAsync("ioxide", descriptors);
        return 0;
    default:
        Console.Error.WriteLine("usage: Ioxide.Burst memory [SCALE] | linger [DESCRIPTORS]");
        return 2;
}
