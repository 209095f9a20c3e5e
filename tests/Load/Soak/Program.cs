// A server of all packages under mixed load and faults, with every byte checked and every second sampled.
//   Ioxide.Soak FOLDER MINUTES [SEED]    starts Ioxide.LoadServer, loads it, writes soak.csv and soak.svg
// The last line is "PASS" or "FAIL". Exit status: 0, 1 where the verdict is FAIL, 2 for wrong arguments.
using System.Globalization;
using Ioxide.Soak;

int seed = Environment.TickCount & 0xFFFFFF;
if (args.Length is < 2 or > 3
    || !double.TryParse(args[1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double minutes)
    || minutes <= 0
    || (args.Length == 3 && !int.TryParse(args[2], NumberStyles.None, CultureInfo.InvariantCulture, out seed)))
{
    Console.Error.WriteLine("usage: Ioxide.Soak FOLDER MINUTES [SEED]");
    return 2;
}

return await SoakRun.RunAsync(new SoakOptions(args[0], TimeSpan.FromMinutes(minutes), seed));
