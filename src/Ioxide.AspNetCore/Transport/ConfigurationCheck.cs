using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore;

/// <summary>Warns when the host starts about keys below the section <c>Ioxide</c> that no option has, and names the nearest option.</summary>
internal sealed class ConfigurationCheck(IServiceProvider services, ILoggerFactory loggerFactory) : IHostedService
{
    internal const string Section = "Ioxide";

    /// <summary>Every key below the section. <c>Pg</c> is a section of its own, which <c>AddIoxidePg</c> reads and checks.</summary>
    private static readonly string[] s_keys = [.. typeof(IoxideTransportOptions).GetProperties().Select(static option => option.Name), "Pg"];

    public Task StartAsync(CancellationToken cancellationToken)
    {
        IEnumerable<IConfigurationSection> keys = services.GetService<IConfiguration>()?.GetSection(Section).GetChildren() ?? [];
        ILogger logger = loggerFactory.CreateLogger("Ioxide.AspNetCore");
        foreach (IConfigurationSection key in keys)
        {
            if (!s_keys.Contains(key.Key, StringComparer.OrdinalIgnoreCase))
            {
                TransportLog.UnknownKey(logger, key.Path, Remedy(key.Key));
            }
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private static string Remedy(string key)
    {
        string nearest = s_keys.MinBy(known => Distance(known, key))!; // There are options.
        return Distance(nearest, key) <= Math.Max(2, nearest.Length / 3)
            ? $"Did you mean {Section}:{nearest}?"
            : "docs/options.md lists the options.";
    }

    /// <summary>How many letters have to be added, removed or replaced to make one name of the other, whatever their case.</summary>
    private static int Distance(string from, string to)
    {
        int[] above = [.. Enumerable.Range(0, to.Length + 1)];
        for (int row = 1; row <= from.Length; row++)
        {
            int[] current = new int[to.Length + 1];
            current[0] = row;
            for (int column = 1; column <= to.Length; column++)
            {
                bool isEqual = char.ToUpperInvariant(from[row - 1]) == char.ToUpperInvariant(to[column - 1]);
                current[column] = Math.Min(Math.Min(above[column], current[column - 1]) + 1, above[column - 1] + (isEqual ? 0 : 1));
            }

            above = current;
        }

        return above[to.Length];
    }
}
