using System.Globalization;
using Ioxide.Blocking;

// What handlers that block cost, on Ioxide and on the sockets transport, and what a busy reactor costs others:
//
//   dotnet run -c Release --project bench/Ioxide.Blocking -- rows [ROUNDS]     24 requests at once per way to block, 3 rounds
//   dotnet run -c Release --project bench/Ioxide.Blocking -- beside [SECONDS]  latency of /ok while other handlers block, 4 seconds each
//   dotnet run -c Release --project bench/Ioxide.Blocking -- rare [ROUNDS]     HTTP/2: latency of /ok while other calls compute 2 s
//   dotnet run -c Release --project bench/Ioxide.Blocking -- posts [ROUNDS]    posts between reactors, and beside one that computes, 5 rounds
//
// Server and load share the process (those of `rare` have one each) and the loopback interface; both transports are measured turn by turn.
switch (args)
{
    case ["rows", .. var rest] when rest.Length <= 1:
        await BlockedRows.RunAsync(rest is [var rounds] ? int.Parse(rounds, CultureInfo.InvariantCulture) : 3);
        return 0;
    case ["beside", .. var rest] when rest.Length <= 1:
        await BesideBlocked.RunAsync(rest is [var seconds] ? int.Parse(seconds, CultureInfo.InvariantCulture) : 4);
        return 0;
    case ["rare", .. var rest] when rest.Length <= 1:
        await BesideRare.RunAsync(rest is [var number] ? int.Parse(number, CultureInfo.InvariantCulture) : 3);
        return 0;
    case ["rare-load", var address]:
        await BesideRare.LoadAsync(new Uri(address));
        return 0;
    case ["posts", .. var rest] when rest.Length <= 1 && OperatingSystem.IsLinux():
        await CrossPosts.RunAsync(rest is [var count] ? int.Parse(count, CultureInfo.InvariantCulture) : 5);
        return 0;
    default:
        Console.Error.WriteLine("usage: Ioxide.Blocking rows [ROUNDS] | beside [SECONDS] | rare [ROUNDS] | posts [ROUNDS]");
        return 2;
}
