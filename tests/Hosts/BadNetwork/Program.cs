// One side of Ioxide.BadNetwork in a process of its own: servers and clients. It prints "listening ADDRESS" for each address, then "ready",
// and answers lines "NUMBER COMMAND" of standard input by "NUMBER TEXT": held, seen, close, and those of Clients with a key and a length:
// get, post, rows, value. The end of standard input ends it.
using System.Globalization;
using Ioxide.BadNetworkHost;

var setup = HostSetup.Read(args);
await using Servers servers = await Servers.StartAsync(setup);
await using var clients = new Clients(setup, servers.Group);
foreach (System.Net.EndPoint endPoint in servers.EndPoints)
{
    Console.WriteLine($"listening {endPoint}");
}

Console.WriteLine("ready");

// The console reads blocking, so that takes a thread.
await Task.Factory.StartNew(
    () =>
    {
        while (Console.In.ReadLine() is { } line)
        {
            _ = Task.Run(() => AnswerAsync(line.Split(' ')));
        }
    },
    CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

async Task AnswerAsync(string[] words)
{
    string answer;
    try
    {
        answer = await RunAsync(words[1], words);
    }
    catch (Exception exception)
    {
        // It is the answer.
        answer = Outcome.Of(exception);
    }

    Console.WriteLine($"{words[0]} {answer}");
}

async Task<string> RunAsync(string command, string[] words)
{
    switch (command)
    {
        case "held":
            return servers.Held;
        case "seen":
            List<string> seen = [];
            while (servers.Handlers.Seen.TryDequeue(out string? one))
            {
                seen.Add(one);
            }

            return string.Join(", ", seen.Order(StringComparer.Ordinal));
        case "close":
            await clients.DisposeAsync();
            return "closed";
    }

    long key = long.Parse(words[2], CultureInfo.InvariantCulture);
    int lengthBytes = int.Parse(words[3], CultureInfo.InvariantCulture);
    return command switch
    {
        "get" => await clients.GetAsync(key, lengthBytes),
        "post" => await clients.PostAsync(key, lengthBytes),
        "rows" => await clients.RowsAsync(key, lengthBytes),
        "value" => await clients.ValueAsync(key, lengthBytes),
        _ => "unknown",
    };
}
