using System.Globalization;

namespace Ioxide.PgBench.Turns;

/// <summary>CPU time of the server's processes: the postmaster and what it started.</summary>
/// <remarks>
/// Source: proc(5). <c>schedstat</c> counts nanoseconds; where the kernel has none, <c>stat</c> counts hundredths of a second.
/// A process that ends in a turn is missed, so connections must be kept.
/// </remarks>
internal static class ServerCpu
{
    private const double TicksPerSecond = 100;

    internal static double Seconds(int serverId)
    {
        double sum = OfProcess(serverId);
        foreach (string child in Children(serverId))
        {
            sum += OfProcess(int.Parse(child, CultureInfo.InvariantCulture));
        }

        return sum;
    }

    private static string[] Children(int serverId)
    {
        try
        {
            return File.ReadAllText($"/proc/{serverId}/task/{serverId}/children").Split(' ', StringSplitOptions.RemoveEmptyEntries);
        }
        catch (IOException)
        {
            throw new WrongAnswerException("The server has ended.");
        }
    }

    private static double OfProcess(int id)
    {
        try
        {
            string schedstat = $"/proc/{id}/schedstat";
            if (File.Exists(schedstat))
            {
                return long.Parse(File.ReadAllText(schedstat).Split(' ')[0], CultureInfo.InvariantCulture) / 1e9;
            }

            // The second field is a name in parentheses and may hold spaces.
            string stat = File.ReadAllText($"/proc/{id}/stat");
            string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
            return (long.Parse(fields[11], CultureInfo.InvariantCulture) + long.Parse(fields[12], CultureInfo.InvariantCulture))
                / TicksPerSecond;
        }
        catch (IOException)
        {
            // It ended since it was listed.
            return 0;
        }
    }
}
