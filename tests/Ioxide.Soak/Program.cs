// A server on UseIoxide and on a raw listener under mixed load and faults, with every byte checked and every second sampled.
//   Ioxide.Soak MINUTES [SEED] [--output DIRECTORY]    starts the server as a child, loads it, writes soak.csv and soak.svg
//   Ioxide.Soak --server                               the child: takes commands on standard input, ends with it
// The last line is "PASS" or "FAIL". Exit status: 0, 1 where the verdict is FAIL, 2 for wrong arguments.
using Ioxide.Soak;

if (args is ["--server"])
{
    return await SoakServer.RunAsync();
}

if (!SoakOptions.TryParse(args, out SoakOptions? options))
{
    Console.Error.WriteLine("usage: Ioxide.Soak MINUTES [SEED] [--output DIRECTORY]");
    return 2;
}

return await SoakRun.RunAsync(options);
